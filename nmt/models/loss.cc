#include "nmt/models/loss.h"

#include <ATen/Parallel.h>
#include <torch/torch.h>

#include <algorithm>
#include <limits>
#include <vector>

#include "nmt/attention/precision.h"
#include "nmt/base/shape.h"
#include "nmt/base/vector_math.h"
#include "nmt/models/batch.h"

namespace nmt {
namespace {

// Logits of a block are held until both gradients are taken from them. Larger blocks make larger
// matrix products, smaller ones stay in the cache.
constexpr int64_t kBlockBytes = int64_t{32} << 20;

// Numbers that one instruction works on; sums and maxima are kept one a lane, which the compiler
// needs to be told.
constexpr int64_t kLanes = 16;

struct Smoothing {
  double target;  // mass on the target, 1 - smoothing
  double spread;  // mass on each piece but padding, smoothing / (V - 1)
};

struct LossSums {
  double loss = 0, likelihood = 0;
  int64_t correct = 0;
};

// One row: adds to `sums`, and if `gradient` is given replaces the logits by d loss / d logit =
// p(v) - q(v) and adds them to `gradient`, the bias's. `row` is room for V numbers.
template <typename Scalar, typename Real>
void RowLoss(Scalar* logits, const Real* bias, int64_t vocabulary, int64_t target,
             const Smoothing& smoothing, Real* row, Real* gradient, LossSums& sums) {
  Real largest[kLanes], total[kLanes] = {};
  for (Real& value : largest) value = -std::numeric_limits<Real>::infinity();
  const int64_t whole = vocabulary / kLanes * kLanes;
  for (int64_t v = 0; v < whole; v += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const Real x = Load(logits[v + lane]) + bias[v + lane];
      row[v + lane] = x;
      largest[lane] = x > largest[lane] ? x : largest[lane];
      total[lane] += x;
    }
  }
  for (int64_t v = whole; v < vocabulary; ++v) {
    row[v] = Load(logits[v]) + bias[v];
    largest[0] = std::max(largest[0], row[v]);
    total[0] += row[v];
  }
  const Real highest = *std::max_element(largest, largest + kLanes);
  double sum = 0;
  for (const Real value : total) sum += static_cast<double>(value);
  const double target_logit = static_cast<double>(row[target]);
  const double padding_logit = static_cast<double>(row[SpecialIds::kPad]);

  Real exponentials[kLanes] = {};
  for (int64_t v = 0; v < whole; v += kLanes) {
    for (int64_t lane = 0; lane < kLanes; ++lane) {
      const Real e = FastExp(row[v + lane] - highest);
      row[v + lane] = e;
      exponentials[lane] += e;
    }
  }
  for (int64_t v = whole; v < vocabulary; ++v) {
    row[v] = FastExp(row[v] - highest);
    exponentials[0] += row[v];
  }
  double normaliser = 0;
  for (const Real value : exponentials) normaliser += static_cast<double>(value);

  const double log_normaliser = static_cast<double>(highest) + std::log(normaliser);
  const double log_p = target_logit - log_normaliser;
  sums.likelihood -= log_p;
  // log p summed over all pieces but padding.
  const double others = sum - padding_logit - static_cast<double>(vocabulary - 1) * log_normaliser;
  sums.loss -= smoothing.target * log_p + smoothing.spread * others;
  sums.correct += target_logit >= static_cast<double>(highest) ? 1 : 0;
  if (gradient == nullptr) return;

  const Real scale = static_cast<Real>(1 / normaliser);
  const Real spread = static_cast<Real>(smoothing.spread);
  row[SpecialIds::kPad] += spread / scale;  // padding takes no mass
  row[target] -= static_cast<Real>(smoothing.target) / scale;
  for (int64_t v = 0; v < vocabulary; ++v) {
    const Real g = row[v] * scale - spread;
    Store(g, logits[v]);
    gradient[v] += g;
  }
}

// All rows of a block, shared among the threads in fixed parts, so that one number of threads gives
// the same digits every time. `gradient_V` undefined: no gradients.
template <typename Scalar, typename Real>
LossSums BlockLoss(const Tensor& logits_NV, const Tensor& bias_V, const Tensor& target_N,
                   const Smoothing& smoothing, const Tensor& gradient_V) {
  const int64_t rows = logits_NV.size(0), vocabulary = logits_NV.size(1);
  auto* const logits = static_cast<Scalar*>(logits_NV.mutable_data_ptr());
  const Real* const bias = bias_V.const_data_ptr<Real>();
  const int64_t* const target = target_N.const_data_ptr<int64_t>();
  const int64_t parts = std::min<int64_t>(rows, at::get_num_threads());
  std::vector<LossSums> sums(static_cast<size_t>(parts));
  const bool with_gradient = gradient_V.defined();
  Tensor gradients_PV;
  if (with_gradient) gradients_PV = torch::zeros({parts, vocabulary}, bias_V.options());
  at::parallel_for(0, parts, /*grain_size=*/1, [&](int64_t begin, int64_t end) {
    std::vector<Real> row(static_cast<size_t>(vocabulary));
    for (int64_t part = begin; part < end; ++part) {
      Real* const gradient =
          with_gradient ? gradients_PV.mutable_data_ptr<Real>() + part * vocabulary : nullptr;
      for (int64_t n = rows * part / parts; n < rows * (part + 1) / parts; ++n) {
        RowLoss(logits + n * vocabulary, bias, vocabulary, target[n], smoothing, row.data(),
                gradient, sums[static_cast<size_t>(part)]);
      }
    }
  });
  LossSums all;
  for (const LossSums& part : sums) {
    all.loss += part.loss;
    all.likelihood += part.likelihood;
    all.correct += part.correct;
  }
  if (with_gradient) gradient_V.add_(gradients_PV.sum(0));
  return all;
}

// The fast kernel, on the CPU.
class LinearLossFunction : public torch::autograd::Function<LinearLossFunction> {
 public:
  // Gives {loss, negative_log_likelihood, correct}. The gradients are made here, while the logits
  // are at hand, and scaled in backward().
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& hidden_ND, const Tensor& weight_VD,
                                                const Tensor& bias_V, const Tensor& target_N,
                                                double smoothing, bool with_gradient) {
    const torch::ScalarType type = ProductType(hidden_ND);
    const ExplicitTypes explicit_types;
    const int64_t rows = hidden_ND.size(0), vocabulary = weight_VD.size(0);
    const Smoothing masses{1 - smoothing, smoothing / static_cast<double>(vocabulary - 1)};
    const Tensor factor_ND = hidden_ND.to(type).contiguous(), factor_VD = weight_VD.to(type);
    const Tensor target = target_N.contiguous(), bias = bias_V.contiguous();
    Tensor hidden_gradient, weight_gradient, bias_gradient;
    if (with_gradient) {
      hidden_gradient = torch::empty_like(factor_ND);
      weight_gradient = torch::zeros_like(weight_VD);
      bias_gradient = torch::zeros_like(bias_V);
    }
    const int64_t block_rows = std::max<int64_t>(
        32, kBlockBytes / (vocabulary * static_cast<int64_t>(factor_ND.element_size())));
    Tensor room_NV = torch::empty({std::min(block_rows, rows), vocabulary}, factor_ND.options());
    LossSums sums;
    for (int64_t begin = 0; begin < rows; begin += block_rows) {
      const int64_t count = std::min(block_rows, rows - begin);
      const Tensor hidden = factor_ND.narrow(0, begin, count);
      Tensor logits_NV = room_NV.narrow(0, 0, count);
      torch::mm_out(logits_NV, hidden, factor_VD.t());
      const LossSums block =
          Dispatch(logits_NV, bias, target.narrow(0, begin, count), masses, bias_gradient);
      sums.loss += block.loss;
      sums.likelihood += block.likelihood;
      sums.correct += block.correct;
      if (!with_gradient) continue;
      Tensor hidden_block = hidden_gradient.narrow(0, begin, count);
      torch::mm_out(hidden_block, logits_NV, factor_VD);
      weight_gradient.add_(torch::mm(logits_NV.t(), hidden).to(weight_VD.scalar_type()));
    }
    if (with_gradient) {
      context->save_for_backward(
          {hidden_gradient.to(hidden_ND.scalar_type()), weight_gradient, bias_gradient});
    }
    const auto value = [&](double sum) { return torch::full({}, sum, bias_V.options()); };
    const Tensor loss = value(sums.loss), likelihood = value(sums.likelihood);
    const Tensor correct = torch::full({}, sums.correct, target_N.options());
    context->mark_non_differentiable({likelihood, correct});
    return {loss, likelihood, correct};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grad) {
    const auto saved = context->get_saved_variables();
    const Tensor& scale = grad[0];
    return {saved[0] * scale, saved[1] * scale, saved[2] * scale, Tensor(), Tensor(), Tensor()};
  }

 private:
  static LossSums Dispatch(const Tensor& logits_NV, const Tensor& bias_V, const Tensor& target_N,
                           const Smoothing& smoothing, const Tensor& gradient_V) {
    switch (logits_NV.scalar_type()) {
      case torch::kFloat64:
        return BlockLoss<double, double>(logits_NV, bias_V, target_N, smoothing, gradient_V);
      case torch::kFloat32:
        return BlockLoss<float, float>(logits_NV, bias_V, target_N, smoothing, gradient_V);
      case torch::kBFloat16:
        return BlockLoss<uint16_t, float>(logits_NV, bias_V, target_N, smoothing, gradient_V);
      default:
        TORCH_CHECK(false, "no loss for logits of type ", logits_NV.scalar_type());
    }
  }
};

// The divergence costs more than the exponentials that LinearLossFunction saves: plain operations,
// whose gradients autograd takes, on a block of rows at a time.
class LinearRDropFunction : public torch::autograd::Function<LinearRDropFunction> {
 public:
  static torch::autograd::variable_list forward(torch::autograd::AutogradContext* context,
                                                const Tensor& hidden_ND,
                                                const Tensor& other_hidden_ND,
                                                const Tensor& weight_VD, const Tensor& bias_V,
                                                const Tensor& target_N, double smoothing,
                                                double r_drop) {
    const torch::ScalarType type = ProductType(hidden_ND);
    const ExplicitTypes explicit_types;
    const torch::AutoGradMode with_gradients(true);
    const auto leaf = [](const Tensor& x) { return x.detach().requires_grad_(); };
    const Tensor weight = leaf(weight_VD.to(type)), bias = leaf(bias_V);
    std::vector<Tensor> hidden_gradients, other_gradients;
    Tensor weight_gradient = torch::zeros_like(weight_VD),
           bias_gradient = torch::zeros_like(bias_V);
    Tensor loss = torch::zeros({}, bias_V.options()), likelihood = torch::zeros_like(loss);
    Tensor correct = torch::zeros({}, target_N.options());
    const int64_t rows = hidden_ND.size(0);
    const int64_t block_rows = std::max<int64_t>(
        32, kBlockBytes / (weight_VD.size(0) * static_cast<int64_t>(bias_V.element_size())));
    for (int64_t begin = 0; begin < rows; begin += block_rows) {
      const int64_t count = std::min(block_rows, rows - begin);
      const Tensor hidden = leaf(hidden_ND.narrow(0, begin, count));
      const Tensor other = leaf(other_hidden_ND.narrow(0, begin, count));
      const Tensor target = target_N.narrow(0, begin, count);
      const auto logits_of = [&](const Tensor& x) {
        return torch::matmul(x.to(type), weight.t()).to(bias.scalar_type()) + bias;
      };
      const Tensor logits_NV = logits_of(hidden), other_logits_NV = logits_of(other);
      const LossOutput p = LabelSmoothedLoss(logits_NV, target, smoothing);
      const LossOutput q = LabelSmoothedLoss(other_logits_NV, target, smoothing);
      const Tensor log_p_NV = logits_NV.log_softmax(1), log_q_NV = other_logits_NV.log_softmax(1);
      // KL(P || Q) + KL(Q || P)
      const Tensor divergence = ((log_p_NV.exp() - log_q_NV.exp()) * (log_p_NV - log_q_NV)).sum();
      const Tensor block = (p.loss + q.loss) / 2 + (r_drop / 4) * divergence;
      const auto gradients = torch::autograd::grad({block}, {hidden, other, weight, bias});
      hidden_gradients.push_back(gradients[0]);
      other_gradients.push_back(gradients[1]);
      weight_gradient.add_(gradients[2].to(weight_VD.scalar_type()));
      bias_gradient.add_(gradients[3]);
      loss.add_(block.detach());
      likelihood.add_(p.negative_log_likelihood);
      correct.add_(p.correct);
    }
    const auto all = [&](const std::vector<Tensor>& parts) {
      return parts.empty() ? torch::zeros_like(hidden_ND) : torch::cat(parts);
    };
    context->save_for_backward(
        {all(hidden_gradients), all(other_gradients), weight_gradient, bias_gradient});
    context->mark_non_differentiable({likelihood, correct});
    return {loss, likelihood, correct};
  }

  static torch::autograd::variable_list backward(torch::autograd::AutogradContext* context,
                                                 torch::autograd::variable_list grad) {
    const auto saved = context->get_saved_variables();
    return {saved[0] * grad[0],
            saved[1] * grad[0],
            saved[2] * grad[0],
            saved[3] * grad[0],
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

}  // namespace

LossOutput LinearRDropLoss(const Tensor& hidden_ND, const Tensor& other_hidden_ND,
                           const Tensor& weight_VD, const Tensor& bias_V, const Tensor& target_N,
                           double smoothing, double weight) {
  CheckShape(hidden_ND, "N D", {}, "hidden");
  CheckShape(other_hidden_ND, "N D", {{"N", hidden_ND.size(0)}, {"D", hidden_ND.size(1)}},
             "other hidden");
  CheckShape(weight_VD, "V D", {{"D", hidden_ND.size(1)}}, "output weight");
  CheckShape(target_N, "N", {{"N", hidden_ND.size(0)}}, "target");
  const auto output = LinearRDropFunction::apply(hidden_ND, other_hidden_ND, weight_VD, bias_V,
                                                 target_N, smoothing, weight);
  return {output[0], output[1], output[2], {}};
}

LossOutput LinearLabelSmoothedLoss(const Tensor& hidden_ND, const Tensor& weight_VD,
                                   const Tensor& bias_V, const Tensor& target_N, double smoothing) {
  CheckShape(hidden_ND, "N D", {}, "hidden");
  CheckShape(weight_VD, "V D", {{"D", hidden_ND.size(1)}}, "output weight");
  CheckShape(target_N, "N", {{"N", hidden_ND.size(0)}}, "target");
  if (!hidden_ND.device().is_cpu()) {
    return LabelSmoothedLoss(torch::nn::functional::linear(hidden_ND, weight_VD, bias_V), target_N,
                             smoothing);
  }
  const auto output = LinearLossFunction::apply(hidden_ND, weight_VD, bias_V, target_N, smoothing,
                                                torch::GradMode::is_enabled());
  return {output[0], output[1], output[2], {}};
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
  return {(1 - smoothing) * likelihood - spread * others_N.sum(),
          likelihood.detach(),
          logits_NV.argmax(1).eq(target_N).logical_and(real_N).sum(),
          {}};
}

Tensor GuidedAlignmentLoss(const Tensor& attention_BTS, const Tensor& links_BTS) {
  CheckShape(attention_BTS, "B T S",
             {{"B", links_BTS.size(0)}, {"T", links_BTS.size(1)}, {"S", links_BTS.size(2)}},
             "attention");
  // A weight may underflow to 0. Below this bound it would teach nothing: g / a times the a of the
  // softmax's gradient stays what it is for any a above it.
  constexpr double kLeast = 1e-37;
  return -(links_BTS * attention_BTS.to(links_BTS.scalar_type()).clamp_min(kLeast).log()).sum();
}

LossOutput BatchLoss(Seq2Seq& model, const Batch& batch, const LossOptions& options) {
  const Tensor target_N = batch.target_output_BT.flatten();
  const Tensor real_N = target_N.ne(SpecialIds::kPad).nonzero().squeeze(1);
  const bool guided = options.guide.has_value() && batch.links_BTS.defined();
  Tensor guided_loss;
  const auto hidden_ND = [&](bool attention) {
    const DecoderOutput output =
        model.Forward(batch, {.attention = attention, .dropout = options.dropout});
    if (attention) {
      const Tensor layer_BHTS = output.attention_BLHTS.select(1, options.guide->layer);
      const int64_t head = options.guide->head;
      guided_loss =
          GuidedAlignmentLoss(head < 0 ? layer_BHTS.to(batch.links_BTS.scalar_type()).mean(1)
                                       : layer_BHTS.select(1, head),
                              batch.links_BTS);
    }
    return output.hidden_BTD.flatten(0, 1).index_select(0, real_N);
  };
  const Tensor first_ND = hidden_ND(guided);
  const Tensor weight_VD = model.OutputWeight_VD(), bias_V = model.OutputBias_V();
  const Tensor real_target_N = target_N.index_select(0, real_N);
  LossOutput output =
      options.r_drop == 0
          ? LinearLabelSmoothedLoss(first_ND, weight_VD, bias_V, real_target_N, options.smoothing)
          : LinearRDropLoss(first_ND, hidden_ND(/*attention=*/false), weight_VD, bias_V,
                            real_target_N, options.smoothing, options.r_drop);
  output.guided = guided_loss;
  return output;
}

}  // namespace nmt
