#include "nmt/decoding/forced.h"

#include <torch/torch.h>

#include <algorithm>

#include "nmt/decoding/translator.h"

namespace nmt {

void ForEachForced(Seq2Seq& model, const std::vector<Ids>& sources, const std::vector<Ids>& targets,
                   const ForwardOptions& wanted, const ForcedOptions& options,
                   const std::function<void(size_t, const ForcedPair&)>& visit) {
  const torch::InferenceMode inference;
  std::vector<size_t> lengths;  // the longer side of each pair, with </s>
  for (size_t i = 0; i < sources.size(); ++i)
    lengths.push_back(std::max(sources[i].size(), targets[i].size()) + 1);
  int64_t done = 0;
  for (const std::vector<size_t>& rows : BatchesByLength(lengths, options.batch_size)) {
    std::vector<Ids> batch_sources, batch_targets;
    for (const size_t i : rows) {
      batch_sources.push_back(sources[i]);
      batch_targets.push_back(targets[i]);
    }
    const Batch batch = MakeBatch(batch_sources, batch_targets).To(model.device());
    const DecoderOutput output = model.Forward(batch, wanted);
    for (size_t row = 0; row < rows.size(); ++row) {
      const auto b = static_cast<int64_t>(row);
      const auto source_length = static_cast<int64_t>(batch_sources[row].size()) + 1;
      const auto target_length = static_cast<int64_t>(batch_targets[row].size()) + 1;
      const auto of_pair = [&](const Tensor& all, std::initializer_list<int64_t> lengths) {
        if (!all.defined()) return Tensor();
        Tensor part = all[b].to(torch::kCPU, torch::kFloat32);
        int64_t dimension = part.dim() - static_cast<int64_t>(lengths.size());
        for (const int64_t length : lengths) part = part.narrow(dimension++, 0, length);
        return part;
      };
      visit(rows[row],
            {.hidden_TD = output.hidden_BTD[b].narrow(0, 0, target_length),
             .attention_LHTS = of_pair(output.attention_BLHTS, {target_length, source_length}),
             .value_norms_LHS = of_pair(output.value_norms_BLHS, {source_length}),
             .encoder_attention_LHSS =
                 of_pair(output.encoder_attention_BLHSS, {source_length, source_length}),
             .decoder_attention_LHTT =
                 of_pair(output.decoder_attention_BLHTT, {target_length, target_length})});
    }
    done += static_cast<int64_t>(rows.size());
    options.progress(done);
  }
}

std::vector<ForcedScore> ForcedScores(Seq2Seq& model, const std::vector<Ids>& sources,
                                      const std::vector<Ids>& targets,
                                      const ForcedOptions& options) {
  std::vector<ForcedScore> scores(sources.size());
  const auto visit = [&](size_t i, const ForcedPair& pair) {
    Ids ids = targets[i];
    ids.push_back(SpecialIds::kEnd);
    const Tensor target_T1 = torch::tensor(ids, torch::kInt64).unsqueeze(1).to(model.device());
    const Tensor log_p_TV = model.Logits(pair.hidden_TD).log_softmax(-1);
    scores[i] = {log_p_TV.gather(1, target_T1).sum(torch::kFloat64).item<double>(),
                 static_cast<int64_t>(ids.size())};
  };
  ForEachForced(model, sources, targets, /*wanted=*/{}, options, visit);
  return scores;
}

}  // namespace nmt
