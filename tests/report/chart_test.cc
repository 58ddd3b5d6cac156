#include "nmt/report/chart.h"

#include <gtest/gtest.h>
