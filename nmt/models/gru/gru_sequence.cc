#include "nmt/models/gru/gru_sequence.h"

#include <torch/torch.h>

#include <optional>
#include <vector>

#include "nmt/attention/additive_attention.h"
#include "nmt/attention/precision.h"
#include "nmt/base/shape.h"
#include "nmt/models/gru/gru_kernels.h"

namespace nmt {
namespace {

using torch::autograd::AutogradContext;
using torch::autograd::variable_list;

// A weight in the type that its products run in, and those products; sums and results stay in the
// type of the states.
class Factor {
 public:
  Factor(const Tensor& weight_OI, torch::ScalarType type) : weight_OI_(weight_OI.to(type)) {}

  // x_BI W^T
  Tensor Apply(const Tensor& x_BI) const {
    return torch::mm(x_BI.to(weight_OI_.scalar_type()), weight_OI_.t()).to(x_BI.scalar_type());
  }
  // The gradient of x: d_BO W
  Tensor ApplyBackward(const Tensor& d_BO) const {
    return torch::mm(d_BO.to(weight_OI_.scalar_type()), weight_OI_).to(d_BO.scalar_type());
  }

 private:
  Tensor weight_OI_;
};

// The gradient of a weight from all steps at once: d_TBO^T x_TBI.
Tensor WeightGradient(const Tensor& d_TBO, const Tensor& x_TBI, torch::ScalarType type) {
  return torch::mm(d_TBO.flatten(0, 1).t().to(type), x_TBI.flatten(0, 1).to(type))
      .to(x_TBI.scalar_type());
}

Tensor BiasGradient(const Tensor& d_TBO) { return d_TBO.flatten(0, 1).sum(0); }

// Autograd's functions take no undefined tensors, but empty optionals.
std::optional<Tensor> Optional(const Tensor& x) {
  return x.defined() ? std::optional<Tensor>(x) : std::nullopt;
}

Tensor SelectOrNone(const Tensor& x, int64_t t) { return x.defined() ? x[t] : Tensor(); }

class GruSequenceFunction : public torch::autograd::Function<GruSequenceFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input_SB3H, const Tensor& weight,
                        const Tensor& bias_3H, const std::optional<Tensor>& real, bool backwards,
                        int64_t product_type) {
    const Tensor real_SB = real.value_or(Tensor());
    const ExplicitTypes explicit_types;
    const auto type = static_cast<torch::ScalarType>(product_type);
    const int64_t S = input_SB3H.size(0), B = input_SB3H.size(1), H = weight.size(1);
    const auto options = input_SB3H.options();
    const Tensor tape_SB4H = torch::empty({S, B, 4 * H}, options);
    // States with the zeros before the first step: position s + 1 (or s, backwards) is step s's.
    Tensor all_ZBH = torch::empty({S + 1, B, H}, options);
    all_ZBH[backwards ? S : 0].zero_();
    const Factor recurrent(weight, type);
    for (int64_t i = 0; i < S; ++i) {
      const int64_t s = backwards ? S - 1 - i : i;
      const Tensor hidden_BH = all_ZBH[backwards ? s + 1 : s];
      GruGatesForward({.input_B3H = input_SB3H[s],
                       .recurrent_B3H = recurrent.Apply(hidden_BH),
                       .recurrent_bias_3H = bias_3H,
                       .hidden_BH = hidden_BH,
                       .real_B = SelectOrNone(real_SB, s),
                       .tape_B4H = tape_SB4H[s],
                       .next_BH = all_ZBH[backwards ? s : s + 1]});
    }
    context->save_for_backward({tape_SB4H, all_ZBH, weight, real_SB});
    context->saved_data["backwards"] = backwards;
    context->saved_data["type"] = product_type;
    return all_ZBH.narrow(0, backwards ? 0 : 1, S).clone();
  }

  static variable_list backward(AutogradContext* context, variable_list grad) {
    const auto saved = context->get_saved_variables();
    const Tensor &tape_SB4H = saved[0], &all_ZBH = saved[1], &weight = saved[2],
                 &real_SB = saved[3];
    const bool backwards = context->saved_data["backwards"].toBool();
    const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
    const int64_t S = tape_SB4H.size(0), B = tape_SB4H.size(1), H = weight.size(1);
    const Tensor d_states_SBH = grad[0].contiguous();
    const Tensor d_input_SB3H = torch::empty({S, B, 3 * H}, tape_SB4H.options());
    const Tensor d_recurrent_SB3H = torch::empty_like(d_input_SB3H);
    const Factor recurrent(weight, type);
    Tensor d_next_BH = torch::zeros({B, H}, tape_SB4H.options());
    for (int64_t i = S; i-- > 0;) {
      const int64_t s = backwards ? S - 1 - i : i;
      d_next_BH.add_(d_states_SBH[s]);
      Tensor d_hidden_BH = torch::empty_like(d_next_BH);
      GruGatesBackward({.tape_B4H = tape_SB4H[s],
                        .hidden_BH = all_ZBH[backwards ? s + 1 : s],
                        .real_B = SelectOrNone(real_SB, s),
                        .d_next_BH = d_next_BH,
                        .d_input_B3H = d_input_SB3H[s],
                        .d_recurrent_B3H = d_recurrent_SB3H[s],
                        .d_hidden_BH = d_hidden_BH});
      d_next_BH = d_hidden_BH.add_(recurrent.ApplyBackward(d_recurrent_SB3H[s]));
    }
    const Tensor before_SBH = all_ZBH.narrow(0, backwards ? 1 : 0, S);
    return {d_input_SB3H,
            WeightGradient(d_recurrent_SB3H, before_SBH, type),
            BiasGradient(d_recurrent_SB3H),
            Tensor(),
            Tensor(),
            Tensor()};
  }
};

// Names for the tensors that go through autograd's lists.
struct DecoderTape {
  Tensor state_TBH;  // h, that the look and the recurrent gates read
  Tensor tape_TB4H;  // of the GRU that reads c_t
  Tensor query_TBA, weights_TBS, context_TBC;
  Tensor before_TBH;       // conditional: s_{t-1}
  Tensor first_tape_TB4H;  // conditional: of GRU_1
};

class GruDecoderFunction : public torch::autograd::Function<GruDecoderFunction> {
 public:
  static variable_list forward(AutogradContext* context, const Tensor& input_gates_TB3H,
                               const Tensor& initial_BH, const Tensor& key_BSA,
                               const Tensor& value_BSC, const Tensor& mask_BS,
                               const Tensor& query_weight_AH, const Tensor& v_A,
                               const Tensor& context_weight_3HC,
                               const std::optional<Tensor>& context_bias,
                               const Tensor& recurrent_weight_3HH, const Tensor& recurrent_bias_3H,
                               const std::optional<Tensor>& first_weight,
                               const std::optional<Tensor>& first_bias, int64_t product_type) {
    const Tensor context_bias_3H = context_bias.value_or(Tensor());
    const Tensor first_weight_3HH = first_weight.value_or(Tensor());
    const Tensor first_bias_3H = first_bias.value_or(Tensor());
    const ExplicitTypes explicit_types;
    const auto type = static_cast<torch::ScalarType>(product_type);
    const bool conditional = first_weight_3HH.defined();
    const int64_t T = input_gates_TB3H.size(0), B = input_gates_TB3H.size(1),
                  H = initial_BH.size(1), S = key_BSA.size(1), A = key_BSA.size(2),
                  C = value_BSC.size(2);
    const auto room = [&](int64_t size) {
      return torch::empty({T, B, size}, initial_BH.options());
    };
    DecoderTape tape{room(H), room(4 * H), room(A), room(S), room(C), {}, {}};
    if (conditional) tape.before_TBH = room(H), tape.first_tape_TB4H = room(4 * H);
    const AdditiveMemory memory{key_BSA, value_BSC, mask_BS, v_A};
    const Factor joint(torch::cat({recurrent_weight_3HH, query_weight_AH}), type);
    const Factor reads_context(context_weight_3HC, type);
    const Factor first(conditional ? first_weight_3HH : recurrent_weight_3HH, type);

    Tensor readout_TBH = conditional ? room(H) : tape.state_TBH;
    Tensor state_BH = initial_BH;
    for (int64_t t = 0; t < T; ++t) {
      const Tensor h_BH = tape.state_TBH[t];
      if (conditional) {
        tape.before_TBH[t].copy_(state_BH);
        GruGatesForward({.input_B3H = input_gates_TB3H[t],
                         .recurrent_B3H = first.Apply(state_BH),
                         .recurrent_bias_3H = first_bias_3H,
                         .hidden_BH = state_BH,
                         .tape_B4H = tape.first_tape_TB4H[t],
                         .next_BH = h_BH});
      } else {
        h_BH.copy_(state_BH);
      }
      const Tensor joint_BJ = joint.Apply(h_BH);
      tape.query_TBA[t].copy_(joint_BJ.narrow(1, 3 * H, A));
      AdditiveAttend(memory, tape.query_TBA[t], tape.weights_TBS[t], tape.context_TBC[t]);
      Tensor input_B3H = reads_context.Apply(tape.context_TBC[t]);
      input_B3H.add_(conditional ? context_bias_3H : input_gates_TB3H[t]);
      const Tensor next_BH = conditional ? readout_TBH[t] : torch::empty_like(state_BH);
      GruGatesForward({.input_B3H = input_B3H,
                       .recurrent_B3H = joint_BJ.narrow(1, 0, 3 * H),
                       .recurrent_bias_3H = recurrent_bias_3H,
                       .hidden_BH = h_BH,
                       .tape_B4H = tape.tape_TB4H[t],
                       .next_BH = next_BH});
      state_BH = next_BH;
    }
    context->save_for_backward({tape.state_TBH, tape.tape_TB4H, tape.query_TBA, tape.weights_TBS,
                                tape.context_TBC, tape.before_TBH, tape.first_tape_TB4H, key_BSA,
                                value_BSC, mask_BS, v_A, query_weight_AH, context_weight_3HC,
                                recurrent_weight_3HH, first_weight_3HH});
    context->saved_data["type"] = product_type;
    const Tensor weights_TBS = tape.weights_TBS.clone();
    context->mark_non_differentiable({weights_TBS});
    // Copies, since what is saved must not be what is given out.
    return {conditional ? readout_TBH : readout_TBH.clone(), tape.context_TBC.clone(), weights_TBS};
  }

  static variable_list backward(AutogradContext* context, variable_list grad) {
    const auto saved = context->get_saved_variables();
    const DecoderTape tape{saved[0], saved[1], saved[2], saved[3], saved[4], saved[5], saved[6]};
    const AdditiveMemory memory{saved[7], saved[8], saved[9], saved[10]};
    const Tensor &query_weight_AH = saved[11], &context_weight_3HC = saved[12],
                 &recurrent_weight_3HH = saved[13], &first_weight_3HH = saved[14];
    const auto type = static_cast<torch::ScalarType>(context->saved_data["type"].toInt());
    const bool conditional = first_weight_3HH.defined();
    const int64_t T = tape.state_TBH.size(0), B = tape.state_TBH.size(1),
                  H = tape.state_TBH.size(2), A = tape.query_TBA.size(2);
    const auto options = tape.state_TBH.options();
    const Tensor d_readout_TBH =
        grad[0].defined() ? grad[0].contiguous() : torch::zeros_like(tape.state_TBH);
    const Tensor d_context_TBC =
        grad[1].defined() ? grad[1].contiguous() : torch::zeros_like(tape.context_TBC);

    const Factor joint(torch::cat({recurrent_weight_3HH, query_weight_AH}), type);
    const Factor reads_context(context_weight_3HC, type);
    const Factor first(conditional ? first_weight_3HH : recurrent_weight_3HH, type);
    const Tensor d_look_TBC = torch::empty_like(tape.context_TBC);
    const Tensor d_scores_TBS = torch::empty_like(tape.weights_TBS);
    const Tensor d_input_TB3H = torch::empty({T, B, 3 * H}, options);  // of the second GRU
    const Tensor d_joint_TBJ = torch::empty({T, B, 3 * H + A}, options);
    Tensor d_first_input_TB3H, d_first_TB3H;
    if (conditional) {
      d_first_input_TB3H = torch::empty_like(d_input_TB3H);
      d_first_TB3H = torch::empty_like(d_input_TB3H);
    }

    Tensor d_state_BH = torch::zeros({B, H}, options);
    for (int64_t t = T; t-- > 0;) {
      if (conditional) d_state_BH.add_(d_readout_TBH[t]);
      Tensor d_h_BH = torch::empty({B, H}, options);
      const Tensor d_joint_BJ = d_joint_TBJ[t];
      GruGatesBackward({.tape_B4H = tape.tape_TB4H[t],
                        .hidden_BH = tape.state_TBH[t],
                        .d_next_BH = d_state_BH,
                        .d_input_B3H = d_input_TB3H[t],
                        .d_recurrent_B3H = d_joint_BJ.narrow(1, 0, 3 * H),
                        .d_hidden_BH = d_h_BH});
      Tensor d_look_BC = d_look_TBC[t];
      torch::add_out(d_look_BC, reads_context.ApplyBackward(d_input_TB3H[t]), d_context_TBC[t]);
      const Tensor d_query_BA = torch::empty({B, A}, options);
      AdditiveAttendBackward(memory, tape.query_TBA[t], tape.weights_TBS[t], d_look_BC, d_query_BA,
                             d_scores_TBS[t]);
      d_joint_BJ.narrow(1, 3 * H, A).copy_(d_query_BA);
      d_h_BH.add_(joint.ApplyBackward(d_joint_BJ));
      if (!conditional) {
        d_state_BH = d_h_BH.add_(d_readout_TBH[t]);
        continue;
      }
      d_state_BH = torch::empty({B, H}, options);
      GruGatesBackward({.tape_B4H = tape.first_tape_TB4H[t],
                        .hidden_BH = tape.before_TBH[t],
                        .d_next_BH = d_h_BH,
                        .d_input_B3H = d_first_input_TB3H[t],
                        .d_recurrent_B3H = d_first_TB3H[t],
                        .d_hidden_BH = d_state_BH});
      d_state_BH.add_(first.ApplyBackward(d_first_TB3H[t]));
    }

    const AdditiveMemoryGradients d_memory =
        AdditiveMemoryBackward(memory, tape.query_TBA, tape.weights_TBS, d_look_TBC, d_scores_TBS);
    const Tensor d_joint_JH = WeightGradient(d_joint_TBJ, tape.state_TBH, type);
    const Tensor d_recurrent_bias = BiasGradient(d_joint_TBJ.narrow(2, 0, 3 * H));
    return {conditional ? d_first_input_TB3H : d_input_TB3H,
            d_state_BH,
            d_memory.key_BSA,
            d_memory.value_BSC,
            Tensor(),
            d_joint_JH.narrow(0, 3 * H, A),
            d_memory.v_A,
            WeightGradient(d_input_TB3H, tape.context_TBC, type),
            conditional ? BiasGradient(d_input_TB3H) : Tensor(),
            d_joint_JH.narrow(0, 0, 3 * H),
            d_recurrent_bias,
            conditional ? WeightGradient(d_first_TB3H, tape.before_TBH, type) : Tensor(),
            conditional ? BiasGradient(d_first_TB3H) : Tensor(),
            Tensor()};
  }
};

}  // namespace

Tensor GruSequence(const Tensor& input_gates_SB3H, const Tensor& recurrent_weight_3HH,
                   const Tensor& recurrent_bias_3H, const Tensor& real_SB, Direction direction) {
  const auto state = recurrent_weight_3HH.scalar_type();
  return GruSequenceFunction::apply(input_gates_SB3H.to(state).contiguous(), recurrent_weight_3HH,
                                    recurrent_bias_3H, Optional(real_SB),
                                    direction == Direction::kBackward,
                                    static_cast<int64_t>(ProductType(recurrent_weight_3HH)));
}

DecoderTrace GruDecoderSequence(const DecoderSequence& sequence) {
  const auto state = sequence.recurrent_weight_3HH.scalar_type();
  const auto in_state_type = [&](const Tensor& x) { return x.to(state).contiguous(); };
  const auto output = GruDecoderFunction::apply(
      in_state_type(sequence.input_gates_TB3H), in_state_type(sequence.initial_BH),
      in_state_type(sequence.key_BSA), in_state_type(sequence.value_BSC), sequence.mask_BS,
      sequence.query_weight_AH, sequence.v_A, sequence.context_weight_3HC,
      Optional(sequence.context_bias_3H), sequence.recurrent_weight_3HH, sequence.recurrent_bias_3H,
      Optional(sequence.first_weight_3HH), Optional(sequence.first_bias_3H),
      static_cast<int64_t>(ProductType(sequence.recurrent_weight_3HH)));
  return {output[0], output[1], output[2]};
}

}  // namespace nmt
