#include <torch/torch.h>

#include <iostream>

#include "nmt/attention/mask.h"
#include "nmt/attention/score.h"

int main() {
  const torch::Tensor query_BHTK = torch::randn({2, 1, 3, 64});  // 2 sentences, 1 head, 3 queries
  const torch::Tensor key_BHSK = torch::randn({2, 1, 5, 64});    // 5 keys each
  const torch::Tensor value_BHSK = torch::randn({2, 1, 5, 64});
  const torch::Tensor mask_B11S = nmt::PaddingMask(torch::tensor({5, 2}), 5);  // lengths 5 and 2
  const torch::Tensor scores_BHTS = nmt::ScaledDotScore(query_BHTK, key_BHSK);
  const torch::Tensor weights_BHTS = nmt::MaskedSoftmax(scores_BHTS, mask_B11S);
  std::cout << weights_BHTS[1] << "\n" << nmt::Attend(weights_BHTS, value_BHSK).sizes() << "\n";
}
