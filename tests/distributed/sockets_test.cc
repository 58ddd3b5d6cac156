#include "nmt/distributed/sockets.h"

#include <gmock/gmock.h>
#include <gtest/gtest.h>
#include <unistd.h>

namespace nmt {
namespace {

using testing::HasSubstr;

TEST(SocketsTest, APortInUseIsNamed) {
  const auto first = BindSocket("127.0.0.1", 0);
  ASSERT_TRUE(first.ok()) << first.status();
  EXPECT_GT(first->port, 0);
  const auto second = BindSocket("127.0.0.1", first->port);
  ASSERT_FALSE(second.ok());
  EXPECT_THAT(std::string(second.status().message()),
              HasSubstr("127.0.0.1:" + std::to_string(first->port) + ": the port is in use"));
  close(first->fd);
  const auto third = BindSocket("127.0.0.1", first->port);
  ASSERT_TRUE(third.ok()) << third.status();
  close(third->fd);
}

TEST(SocketsTest, AnAddressOfAnotherMachineIsRefused) {
  const auto bound = BindSocket("192.0.2.1", 0);  // RFC 5737: of documentation only
  ASSERT_FALSE(bound.ok());
  EXPECT_THAT(std::string(bound.status().message()), HasSubstr("worker 0 cannot listen there"));
}

TEST(SocketsTest, ReachesItselfByLoopback) {
  EXPECT_EQ(*OwnAddressTowards("127.0.0.1", 29500), "127.0.0.1");
  EXPECT_EQ(*OwnAddressTowards("localhost", 29500), "127.0.0.1");
}

}  // namespace
}  // namespace nmt
