#include "nmt/models/multiply_adds.h"

namespace nmt {
namespace {

int64_t OfTransformer(const ModelOptions& options, int64_t V, int64_t S, int64_t T) {
  const int64_t D = options.hidden_size, F = options.feed_forward_size;
  const int64_t score_matrix =
      options.attention == AttentionScore::kGeneral ? D * (D / options.heads) : 0;
  // Queries and outputs of `queries` positions, keys and values of `keys`, and their looks.
  const auto attention = [&](int64_t queries, int64_t keys) {
    return 2 * queries * D * D + 2 * keys * D * D + 2 * queries * keys * D + queries * score_matrix;
  };
  const int64_t encoder_layer = attention(S, S) + 2 * S * D * F;
  const int64_t decoder_layer = attention(T, T) + attention(T, S) + 2 * T * D * F;
  return options.encoder_layers * encoder_layer + options.decoder_layers * decoder_layer +
         T * V * D;
}

int64_t OfGru(const ModelOptions& options, int64_t V, int64_t S, int64_t T) {
  const int64_t E = options.embedding_size, H = options.hidden_size, A = options.AttentionSize(),
                direction = options.EncoderSize(), C = 2 * direction;
  const int64_t R = options.ReadoutSize() * (options.readout == Readout::kMaxout ? 2 : 1);
  int64_t encoder = 0;
  for (int64_t layer = 0; layer < options.encoder_layers; ++layer)
    encoder += 2 * S * 3 * direction * ((layer == 0 ? E : C) + direction);
  const int64_t once = S * A * C + direction * H;
  const int64_t second_cell = options.decoder == GruDecoder::kConditional ? 3 * H * H : 0;
  const int64_t score_matrix = options.attention == AttentionScore::kGeneral ? A * A : 0;
  const int64_t cells = 3 * H * (E + H) + 3 * H * C + second_cell;
  const int64_t look = H * A + score_matrix + S * A + S * C;
  const int64_t readout = R * (H + E + C) + V * options.ReadoutSize();
  return encoder + once + T * (cells + look + readout);
}

}  // namespace

int64_t MultiplyAdds(const ModelOptions& options, const VocabularySizes& sizes,
                     int64_t source_length, int64_t target_length) {
  return options.type == ModelType::kGru
             ? OfGru(options, sizes.target, source_length, target_length)
             : OfTransformer(options, sizes.target, source_length, target_length);
}

}  // namespace nmt
