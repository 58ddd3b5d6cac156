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

// A weight in the type P of products. What a product reads and gives is of that type; states,
// attention and what is summed over time are of the type of the states.
class Factor {
 public:
  Factor(const Tensor& weight_OI, torch::ScalarType type) : weight_OI_(weight_OI.to(type)) {}

  // x_BI W^T
  Tensor Apply(const Tensor& x_BI) const { return torch::mm(x_BI, weight_OI_.t()); }
  // The gradient of x: d_BO W
  Tensor ApplyBackward(const Tensor& d_BO) const { return torch::mm(d_BO, weight_OI_); }

 private:
  Tensor weight_OI_;
};

// The gradient of a weight from all steps at once: d_TBO^T x_TBI.
Tensor WeightGradient(const Tensor& d_TBO, const Tensor& x_TBI, torch::ScalarType type) {
  return torch::mm(d_TBO.flatten(0, 1).t(), x_TBI.flatten(0, 1)).to(type);
}

Tensor BiasGradient(const Tensor& d_TBO, torch::ScalarType type) {
  return d_TBO.flatten(0, 1).sum(0, /*keepdim=*/false, type);
}

// Numbers of the states' type, and the same in the products' type: one tensor where the types agree.
struct Both {
  Tensor state, product;
};
Both Room(torch::IntArrayRef sizes, const torch::TensorOptions& options, torch::ScalarType type) {
  const Tensor state = torch::empty(sizes, options);
  return {state, type == options.dtype().toScalarType() ? state
                                                        : torch::empty(sizes, options.dtype(type))};
}
// The second tensor's part that a kernel has to fill; undefined where it is the first's.
Tensor ProductToFill(const Both& both, int64_t t) {
  return both.product.is_same(both.state) ? Tensor() : both.product[t];
}

// Autograd's functions take no undefined tensors, but empty optionals.
std::optional<Tensor> Optional(const Tensor& x) {
  return x.defined() ? std::optional<Tensor>(x) : std::nullopt;
}

Tensor SelectOrNone(const Tensor& x, int64_t t) { return x.defined() ? x[t] : Tensor(); }

class GruSequenceFunction : public torch::autograd::Function<GruSequenceFunction> {
 public:
  static Tensor forward(AutogradContext* context, const Tensor& input_SB3H, const Tensor& weight,
                        const Tensor& bias_3H, const std::optional<Tensor>& real, bool backwards) {
    const Tensor real_SB = real.value_or(Tensor());
    const ExplicitTypes explicit_types;
    const auto type = input_SB3H.scalar_type();
    const int64_t S = input_SB3H.size(0), B = input_SB3H.size(1), H = weight.size(1);
    const auto options = weight.options().requires_grad(false);
    const Tensor tape_SB4H = torch::empty({S, B, 4 * H}, options);
    // States with the zeros before the first step: position s + 1 (or s, backwards) is step s's.
    const Both all_ZBH = Room({S + 1, B, H}, options, type);
    for (const Tensor& all : {all_ZBH.state, all_ZBH.product}) all[backwards ? S : 0].zero_();
    const Factor recurrent(weight, type);
    for (int64_t i = 0; i < S; ++i) {
      const int64_t s = backwards ? S - 1 - i : i;
      const int64_t before = backwards ? s + 1 : s, after = backwards ? s : s + 1;
      GruGatesForward({.input_B3H = input_SB3H[s],
                       .recurrent_B3H = recurrent.Apply(all_ZBH.product[before]),
                       .recurrent_bias_3H = bias_3H,
                       .hidden_BH = all_ZBH.state[before],
                       .real_B = SelectOrNone(real_SB, s),
                       .tape_B4H = tape_SB4H[s],
                       .next_BH = all_ZBH.state[after],
                       .next_product_BH = ProductToFill(all_ZBH, after)});
    }
    context->save_for_backward({tape_SB4H, all_ZBH.state, all_ZBH.product, weight, real_SB});
    context->saved_data["backwards"] = backwards;
    return all_ZBH.state.narrow(0, backwards ? 0 : 1, S).clone();
  }

  static variable_list backward(AutogradContext* context, variable_list grad) {
    const auto saved = context->get_saved_variables();
    const Tensor &tape_SB4H = saved[0], &all_ZBH = saved[1], &product_ZBH = saved[2],
                 &weight = saved[3], &real_SB = saved[4];
    const bool backwards = context->saved_data["backwards"].toBool();
    const auto type = product_ZBH.scalar_type(), state_type = all_ZBH.scalar_type();
    const int64_t S = tape_SB4H.size(0), B = tape_SB4H.size(1), H = weight.size(1);
    const Tensor d_states_SBH = grad[0].contiguous();
    const Tensor d_input_SB3H = torch::empty({S, B, 3 * H}, product_ZBH.options());
    const Tensor d_recurrent_SB3H = torch::empty_like(d_input_SB3H);
    const Factor recurrent(weight, type);
    Tensor d_next_BH = torch::zeros({B, H}, tape_SB4H.options()), d_product_BH;
    for (int64_t i = S; i-- > 0;) {
      const int64_t s = backwards ? S - 1 - i : i;
      const Tensor d_hidden_BH = torch::empty_like(d_next_BH);
      GruGatesBackward({.tape_B4H = tape_SB4H[s],
                        .hidden_BH = all_ZBH[backwards ? s + 1 : s],
                        .real_B = SelectOrNone(real_SB, s),
                        .d_next_BH = d_next_BH,
                        .d_product_BH = d_product_BH,
                        .d_output_BH = d_states_SBH[s],
                        .d_input_B3H = d_input_SB3H[s],
                        .d_recurrent_B3H = d_recurrent_SB3H[s],
                        .d_hidden_BH = d_hidden_BH});
      d_next_BH = d_hidden_BH;
      d_product_BH = recurrent.ApplyBackward(d_recurrent_SB3H[s]);
    }
    const Tensor before_SBH = product_ZBH.narrow(0, backwards ? 1 : 0, S);
    return {d_input_SB3H, WeightGradient(d_recurrent_SB3H, before_SBH, state_type),
            BiasGradient(d_recurrent_SB3H, state_type), Tensor(), Tensor()};
  }
};

// Names for the tensors that go through autograd's lists.
struct DecoderTape {
  Both states_ZBH;         // s_0 ... s_T
  Both between_TBH;        // conditional: h, what GRU_1 gives
  Tensor first_tape_TB4H;  // conditional: of GRU_1
  Tensor tape_TB4H;        // of the GRU that reads c_t
  Tensor query_TBA, weights_TBS;
  Both context_TBC;

  // What the look and the recurrent gates of the last GRU read.
  Both Looking(int64_t T) const {
    if (between_TBH.state.defined()) return between_TBH;
    return {states_ZBH.state.narrow(0, 0, T), states_ZBH.product.narrow(0, 0, T)};
  }
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
                               const std::optional<Tensor>& first_bias) {
    const Tensor first_weight_3HH = first_weight.value_or(Tensor());
    const ExplicitTypes explicit_types;
    const auto type = input_gates_TB3H.scalar_type();
    const bool conditional = first_weight_3HH.defined();
    const int64_t T = input_gates_TB3H.size(0), B = input_gates_TB3H.size(1),
                  H = initial_BH.size(1), S = key_BSA.size(1), A = key_BSA.size(2),
                  C = value_BSC.size(2);
    const auto options = initial_BH.options();
    DecoderTape tape;
    tape.states_ZBH = Room({T + 1, B, H}, options, type);
    tape.tape_TB4H = torch::empty({T, B, 4 * H}, options);
    tape.query_TBA = torch::empty({T, B, A}, options);
    tape.weights_TBS = torch::empty({T, B, S}, options);
    tape.context_TBC = Room({T, B, C}, options, type);
    if (conditional) {
      tape.between_TBH = Room({T, B, H}, options, type);
      tape.first_tape_TB4H = torch::empty({T, B, 4 * H}, options);
    }
    const AdditiveMemory memory{key_BSA, value_BSC, mask_BS, v_A};
    const Factor joint(torch::cat({recurrent_weight_3HH, query_weight_AH}), type);
    const Factor reads_context(context_weight_3HC, type);
    const Factor first(conditional ? first_weight_3HH : recurrent_weight_3HH, type);

    const Both& states_ZBH = tape.states_ZBH;
    for (const Tensor& states : {states_ZBH.state, states_ZBH.product}) states[0].copy_(initial_BH);
    const Both looking_TBH = tape.Looking(T);
    for (int64_t t = 0; t < T; ++t) {
      if (conditional) {
        GruGatesForward({.input_B3H = input_gates_TB3H[t],
                         .recurrent_B3H = first.Apply(states_ZBH.product[t]),
                         .recurrent_bias_3H = *first_bias,
                         .hidden_BH = states_ZBH.state[t],
                         .tape_B4H = tape.first_tape_TB4H[t],
                         .next_BH = tape.between_TBH.state[t],
                         .next_product_BH = ProductToFill(tape.between_TBH, t)});
      }
      const Tensor joint_BJ = joint.Apply(looking_TBH.product[t]);
      tape.query_TBA[t].copy_(joint_BJ.narrow(1, 3 * H, A));
      AdditiveAttend(memory, tape.query_TBA[t], tape.weights_TBS[t], tape.context_TBC.state[t]);
      if (const Tensor product_BC = ProductToFill(tape.context_TBC, t); product_BC.defined())
        product_BC.copy_(tape.context_TBC.state[t]);
      GruGatesForward({.input_B3H = reads_context.Apply(tape.context_TBC.product[t]),
                       .more_input_B3H = conditional ? Tensor() : input_gates_TB3H[t],
                       .input_bias_3H = context_bias.value_or(Tensor()),
                       .recurrent_B3H = joint_BJ.narrow(1, 0, 3 * H),
                       .recurrent_bias_3H = recurrent_bias_3H,
                       .hidden_BH = looking_TBH.state[t],
                       .tape_B4H = tape.tape_TB4H[t],
                       .next_BH = states_ZBH.state[t + 1],
                       .next_product_BH = ProductToFill(states_ZBH, t + 1)});
    }
    context->save_for_backward(
        {states_ZBH.state, states_ZBH.product, tape.between_TBH.state, tape.between_TBH.product,
         tape.first_tape_TB4H, tape.tape_TB4H, tape.query_TBA, tape.weights_TBS,
         tape.context_TBC.state, tape.context_TBC.product, key_BSA, value_BSC, mask_BS, v_A,
         query_weight_AH, context_weight_3HC, recurrent_weight_3HH, first_weight_3HH});
    context->set_materialize_grads(false);  // seldom has the loss to do with the weights
    // Copies, since what is saved must not be what is given out.
    return {states_ZBH.state.narrow(0, conditional ? 1 : 0, T).clone(),
            tape.context_TBC.state.clone(), tape.weights_TBS.clone()};
  }

  static variable_list backward(AutogradContext* context, variable_list grad) {
    const auto saved = context->get_saved_variables();
    const DecoderTape tape{.states_ZBH = {saved[0], saved[1]},
                           .between_TBH = {saved[2], saved[3]},
                           .first_tape_TB4H = saved[4],
                           .tape_TB4H = saved[5],
                           .query_TBA = saved[6],
                           .weights_TBS = saved[7],
                           .context_TBC = {saved[8], saved[9]}};
    const AdditiveMemory memory{saved[10], saved[11], saved[12], saved[13]};
    const Tensor &query_weight_AH = saved[14], &context_weight_3HC = saved[15],
                 &recurrent_weight_3HH = saved[16], &first_weight_3HH = saved[17];
    const bool conditional = first_weight_3HH.defined();
    const int64_t T = tape.tape_TB4H.size(0), B = tape.tape_TB4H.size(1),
                  H = tape.states_ZBH.state.size(2), A = tape.query_TBA.size(2);
    const auto options = tape.tape_TB4H.options();
    const auto type = tape.states_ZBH.product.scalar_type();
    const auto state_type = tape.states_ZBH.state.scalar_type();
    const auto product_room = [&](int64_t size) {
      return torch::empty({T, B, size}, options.dtype(type));
    };
    const Both looking_TBH = tape.Looking(T);
    const Tensor d_readout_TBH =
        grad[0].defined() ? grad[0].contiguous() : torch::zeros({T, B, H}, options);
    const Tensor d_context_TBC =
        grad[1].defined() ? grad[1].contiguous() : torch::zeros_like(tape.context_TBC.state);
    const Tensor d_weights_TBS = grad[2].defined() ? grad[2].contiguous() : Tensor();

    const Factor joint(torch::cat({recurrent_weight_3HH, query_weight_AH}), type);
    const Factor reads_context(context_weight_3HC, type);
    const Factor first(conditional ? first_weight_3HH : recurrent_weight_3HH, type);
    const Tensor d_look_TBC = torch::empty_like(tape.context_TBC.state);
    const Tensor d_scores_TBS = torch::empty_like(tape.weights_TBS);
    const Tensor d_input_TB3H = product_room(3 * H);  // of the GRU that reads c_t
    const Tensor d_joint_TBJ = product_room(3 * H + A);
    Tensor d_first_input_TB3H, d_first_TB3H;
    if (conditional) d_first_input_TB3H = product_room(3 * H), d_first_TB3H = product_room(3 * H);

    // The gradient of s_t from the step after it: what came through z, and through a product.
    Tensor d_state_BH = torch::zeros({B, H}, options), d_product_BH;
    for (int64_t t = T; t-- > 0;) {
      // The readout takes s_t (conditional), or s_{t-1}, which is what the step after t read.
      const int64_t readout = conditional ? t : t + 1;
      const Tensor d_joint_BJ = d_joint_TBJ[t];
      Tensor d_h_BH = torch::empty({B, H}, options);
      GruGatesBackward({.tape_B4H = tape.tape_TB4H[t],
                        .hidden_BH = looking_TBH.state[t],
                        .d_next_BH = d_state_BH,
                        .d_product_BH = d_product_BH,
                        .d_output_BH = readout < T ? d_readout_TBH[readout] : Tensor(),
                        .d_input_B3H = d_input_TB3H[t],
                        .d_recurrent_B3H = d_joint_BJ.narrow(1, 0, 3 * H),
                        .d_hidden_BH = d_h_BH});
      const Tensor d_look_BC = d_look_TBC[t];
      d_look_BC.copy_(reads_context.ApplyBackward(d_input_TB3H[t]));
      d_look_BC.add_(d_context_TBC[t]);
      const Tensor d_query_BA = torch::empty({B, A}, options);
      AdditiveAttendBackward(memory, tape.query_TBA[t], tape.weights_TBS[t], d_look_BC,
                             SelectOrNone(d_weights_TBS, t), d_query_BA, d_scores_TBS[t]);
      d_joint_BJ.narrow(1, 3 * H, A).copy_(d_query_BA);
      d_product_BH = joint.ApplyBackward(d_joint_BJ);
      if (conditional) {
        d_state_BH = torch::empty({B, H}, options);
        GruGatesBackward({.tape_B4H = tape.first_tape_TB4H[t],
                          .hidden_BH = tape.states_ZBH.state[t],
                          .d_next_BH = d_h_BH,
                          .d_product_BH = d_product_BH,
                          .d_input_B3H = d_first_input_TB3H[t],
                          .d_recurrent_B3H = d_first_TB3H[t],
                          .d_hidden_BH = d_state_BH});
        d_product_BH = first.ApplyBackward(d_first_TB3H[t]);
      } else {
        d_state_BH = d_h_BH;
      }
    }
    Tensor d_initial_BH = d_state_BH + d_product_BH;
    if (!conditional) d_initial_BH.add_(d_readout_TBH[0]);

    const AdditiveMemoryGradients d_memory =
        AdditiveMemoryBackward(memory, tape.query_TBA, tape.weights_TBS, d_look_TBC, d_scores_TBS);
    const Tensor d_joint_JH = WeightGradient(d_joint_TBJ, looking_TBH.product, state_type);
    const Tensor before_TBH = tape.states_ZBH.product.narrow(0, 0, T);
    return {conditional ? d_first_input_TB3H : d_input_TB3H,
            d_initial_BH,
            d_memory.key_BSA,
            d_memory.value_BSC,
            Tensor(),
            d_joint_JH.narrow(0, 3 * H, A),
            d_memory.v_A,
            WeightGradient(d_input_TB3H, tape.context_TBC.product, state_type),
            conditional ? BiasGradient(d_input_TB3H, state_type) : Tensor(),
            d_joint_JH.narrow(0, 0, 3 * H),
            BiasGradient(d_joint_TBJ.narrow(2, 0, 3 * H), state_type),
            conditional ? WeightGradient(d_first_TB3H, before_TBH, state_type) : Tensor(),
            conditional ? BiasGradient(d_first_TB3H, state_type) : Tensor()};
  }
};

}  // namespace

Tensor GruSequence(const Tensor& input_gates_SB3H, const Tensor& recurrent_weight_3HH,
                   const Tensor& recurrent_bias_3H, const Tensor& real_SB, Direction direction) {
  return GruSequenceFunction::apply(
      input_gates_SB3H.to(ProductType(recurrent_weight_3HH)).contiguous(), recurrent_weight_3HH,
      recurrent_bias_3H, Optional(real_SB), direction == Direction::kBackward);
}

DecoderTrace GruDecoderSequence(const DecoderSequence& sequence) {
  const auto state = sequence.recurrent_weight_3HH.scalar_type();
  const auto in_state_type = [&](const Tensor& x) { return x.to(state).contiguous(); };
  const auto output = GruDecoderFunction::apply(
      sequence.input_gates_TB3H.to(ProductType(sequence.recurrent_weight_3HH)).contiguous(),
      in_state_type(sequence.initial_BH), in_state_type(sequence.key_BSA),
      in_state_type(sequence.value_BSC), sequence.mask_BS, sequence.query_weight_AH, sequence.v_A,
      sequence.context_weight_3HC, Optional(sequence.context_bias_3H),
      sequence.recurrent_weight_3HH, sequence.recurrent_bias_3H,
      Optional(sequence.first_weight_3HH), Optional(sequence.first_bias_3H));
  return {output[0], output[1], output[2]};
}

}  // namespace nmt
