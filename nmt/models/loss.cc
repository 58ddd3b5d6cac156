#include "nmt/models/loss.h"

#include <torch/torch.h>

#include "nmt/base/shape.h"
#include "nmt/models/batch.h"

namespace nmt {
namespace {

// Logits a block: so few (4 MB) stay in the cache between the product and the gradient.
constexpr int64_t kBlockLogits = int64_t{1} << 20;

class LinearLossFunction : public torch::autograd::Function<LinearLossFunction> {
 public:
  // Gives {loss, negative_log_likelihood, correct}. The gradients are made here, while the logits
  // are at hand, and scaled in backward().
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& hidden_ND, const Tensor& weight_VD,
                                                const Tensor& bias_V, const Tensor& target_N,
                                                double smoothing, bool with_gradient) {
    const int64_t rows = hidden_ND.size(0), vocabulary = weight_VD.size(0);
    const double spread = smoothing / static_cast<double>(vocabulary - 1);
    Tensor loss = torch::zeros({}, hidden_ND.options());
    Tensor likelihood = torch::zeros({}, hidden_ND.options());
    Tensor correct = torch::zeros({}, target_N.options());
    Tensor hidden_gradient, weight_gradient, bias_gradient;
    if (with_gradient) {
      hidden_gradient = torch::empty_like(hidden_ND);
      weight_gradient = torch::zeros_like(weight_VD);
      bias_gradient = torch::zeros_like(bias_V);
    }
    const int64_t block_rows = std::max<int64_t>(32, kBlockLogits / vocabulary);
    for (int64_t begin = 0; begin < rows; begin += block_rows) {
      const int64_t count = std::min(block_rows, rows - begin);
      const Tensor hidden = hidden_ND.narrow(0, begin, count);
      const Tensor target_N1 = target_N.narrow(0, begin, count).unsqueeze(1);
      Tensor log_p = torch::addmm(bias_V, hidden, weight_VD.t()).log_softmax(1);
      correct += log_p.argmax(1, /*keepdim=*/true).eq(target_N1).sum();
      const Tensor target_log_p = log_p.gather(1, target_N1).sum();
      likelihood -= target_log_p;
      loss -= (1 - smoothing) * target_log_p;
      if (smoothing > 0) loss -= spread * (log_p.sum() - log_p.select(1, SpecialIds::kPad).sum());
      if (!with_gradient) continue;
      // d loss / d logit_v = p(v) - q(v), since q sums to 1.
      Tensor gradient = log_p.exp_();
      if (smoothing > 0) {
        gradient.sub_(spread);
        gradient.select(1, SpecialIds::kPad).add_(spread);
      }
      gradient.scatter_add_(1, target_N1,
                            torch::full({count, 1}, smoothing - 1, gradient.options()));
      Tensor hidden_block = hidden_gradient.narrow(0, begin, count);
      torch::mm_out(hidden_block, gradient, weight_VD);
      weight_gradient.addmm_(gradient.t(), hidden);
      bias_gradient += gradient.sum(0);
    }
    if (with_gradient)
      context->save_for_backward({hidden_gradient, weight_gradient, bias_gradient});
    context->mark_non_differentiable({likelihood, correct});
    return {loss, likelihood, correct};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grad) {
    const auto saved = context->get_saved_variables();
    const Tensor& scale = grad[0];
    return {saved[0] * scale, saved[1] * scale, saved[2] * scale, Tensor(), Tensor(), Tensor()};
  }
};

}  // namespace

LossOutput LinearLabelSmoothedLoss(const Tensor& hidden_ND, const Tensor& weight_VD,
                                   const Tensor& bias_V, const Tensor& target_N, double smoothing) {
  CheckShape(hidden_ND, "N D", {}, "hidden");
  CheckShape(weight_VD, "V D", {{"D", hidden_ND.size(1)}}, "output weight");
  CheckShape(target_N, "N", {{"N", hidden_ND.size(0)}}, "target");
  const auto output = LinearLossFunction::apply(hidden_ND, weight_VD, bias_V, target_N, smoothing,
                                                torch::GradMode::is_enabled());
  return {output[0], output[1], output[2]};
}

LossOutput LabelSmoothedLoss(const Tensor& logits_NV, const Tensor& target_N, double smoothing) {
  CheckShape(logits_NV, "N V", {}, "logits");
  CheckShape(target_N, "N", {{"N", logits_NV.size(0)}}, "target");
  const Tensor real_N = target_N.ne(SpecialIds::kPad);
  const Tensor log_p_NV = logits_NV.log_softmax(1);
  const Tensor target_log_p_N =
      log_p_NV.gather(1, target_N.unsqueeze(1)).squeeze(1).masked_fill(~real_N, 0);
  const Tensor others_N =
      (log_p_NV.sum(1) - log_p_NV.select(1, SpecialIds::kPad)).masked_fill(~real_N, 0);
  const double spread = smoothing / static_cast<double>(logits_NV.size(1) - 1);
  const Tensor likelihood = -target_log_p_N.sum();
  return {(1 - smoothing) * likelihood - spread * others_N.sum(), likelihood.detach(),
          logits_NV.argmax(1).eq(target_N).logical_and(real_N).sum()};
}

LossOutput BatchLoss(Seq2Seq& model, const Batch& batch, double smoothing, DropoutStream* dropout) {
  const DecoderOutput output = model.Forward(batch, {.dropout = dropout});
  const Tensor target_N = batch.target_output_BT.flatten();
  const Tensor real_N = target_N.ne(SpecialIds::kPad).nonzero().squeeze(1);
  return LinearLabelSmoothedLoss(output.hidden_BTD.flatten(0, 1).index_select(0, real_N),
                                 model.OutputWeight_VD(), model.OutputBias_V(),
                                 target_N.index_select(0, real_N), smoothing);
}

}  // namespace nmt
