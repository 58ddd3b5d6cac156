#!/usr/bin/env python3
"""Writes metrics.json: what sacreBLEU 2.6.0 makes of the sentences below.

    python3 -m venv VENV && VENV/bin/pip install sacrebleu==2.6.0
    VENV/bin/python tests/golden/make_metrics_golden.py

The sentences are made up for these tests: each has something that tokenisers, lower-casing or
n-gram counting can get wrong.
"""

import json
import pathlib

import sacrebleu
from sacrebleu.metrics import BLEU, CHRF, TER

PAIRS = [  # hypothesis, reference
    ("The cat sits on the red mat.", "The cat sat on the red mat."),
    ("An identical sentence with more than four words.", "An identical sentence with more than four words."),
    ("", ""),
    ("", "Nothing was said about this."),
    ("Something was said about nothing.", ""),
    ("Yes", "Yes"),
    ("Yes.", "Yes!"),
    ("no words in common here", "alles völlig anders geschrieben"),
    ("THE SHIP LEFT the Harbour At Dawn", "the ship left the harbour at dawn"),
    ("the the the the the the", "the boat and the sea"),
    ("It costs 1,000.5 euros, or $1,100.", "It costs 1,000.5 euros or $ 1,100 ."),
    ("Page 3-4, room 12-b; the 1990-ies: 5-6-7.", "Pages 3 - 4, room 12b; the 1990ies: 5-6-7"),
    ("Numbers: .5, 5., 5.., ,7 7,, 1.2.3 a.b c,d", "Numbers: 0.5, 5., 5... ,7 7, 1.2.3 a.b c, d"),
    ("Wait... what?! No -- really... ..", "Wait ... what ?! No - really .. ..."),
    ("a..b..c...d,,e.,f,.g", "a..b.c...d,e.,f.,g"),
    ("well-known, semi-automatic, pre-2020 and post-2020 rules", "well known semi-automatic pre-2020 rules"),
    ('She said: "Don\'t go (yet)!"', "She said: 'do not go [yet]!'"),
    ("„Guten Morgen“, sagte er – ‚ja‘ …", "\"Guten Morgen\", sagte er - 'ja' ..."),
    ("«Bonjour», dit-il ; l’été n'est pas fini !", "« Bonjour » , dit il ; l'été n’est pas fini !"),
    ("Tom &amp; Eva &lt;3 &quot;cake&quot; &gt; all", 'Tom & Eva <3 "cake" > all'),
    ("&amp;lt;b&amp;gt; and &amp;quot;", '<b> and "'),
    ("left<skipped>over and <skipped> this", "leftover and this"),
    ("mail me@host.example/path?q=1&r=2#top", "Mail: me@host.example/path?q=1&r=3#top"),
    ("{x} [y] ^z_ `w` ~v| \\u 100% *s+t=u", "{x} [y] ^ z_ 'w' ~v | /u 99% *s + t = u"),
    ("Größe ÄÖÜ, Straße und STRASSE", "größe äöü, STRASSE und straße"),
    ("ΟΔΥΣΣΕΥΣ ΣΑΣ είπε ΟΧΙ.", "οδυσσευς σας ΕΊΠΕ όχι."),
    ("İstanbul'da IŞIK vardı", "i̇stanbul'da ışık VARDI"),
    ("Кошка СИДИТ на ковре.", "кошка сидела на Ковре."),
    ("猫看到了月亮。", "猫看见了月亮。"),
    ("我有3.5个苹果,和GPS导航仪(新)。", "我有 3.5 个苹果，和 GPS 导航仪 （旧）。"),
    ("价格是“100”元—— →≈ 5.", "价格 是 \"100\" 元 —— → 5."),
    ("𠀀𠀁 㐀 豈 are rare 𠀂字", "𠀀 𠀁㐀豈 are 𠀂 rare字"),
    ("ねこがマットに座った。", "猫はマットの上に座った。"),
    ("고양이가 매트 위에 앉았다.", "고양이는 매트에 앉았다."),
    ("عدد ١٢٣، نعم.", "عدد 123 ، نعم ."),
    ("e\u0301te\u0301 cafe\u0301", "été café"),
    ("smile 😀👍🏽 now", "smile 😀 👍🏽 now!"),
    ("odd\u00a0blanks\u2003in\u3000the\u2028line\u0085here\u001c now\t", " odd blanks in the line here now"),
    ("  two   leading  blanks\tand a tab  ", "two leading blanks and a tab"),
    (".start and , comma", ". start and, comma"),
    ("5. ", "5.\u3000"),
    ("(hi) 'quoted' a. ... -- b", "(hi ) quoted ' a . ... - b"),
    ("one", "one two three four five six seven"),
    ("one two three four five six seven", "on"),
    (
        "The committee, which met on 12.05.2021 at 9:30 a.m., decided (by 7-3 votes) that the city's "
        "old bridge would not be torn down but repaired, that the work would cost about 2,500,000 euros, "
        "and that the ferry would run every half-hour until it was done.",
        "The committee, that met at 9.30 a.m. on 12.05.2021, has decided by 7 - 3 votes that the old "
        "bridge of the city will be repaired instead of torn down, that the work will cost some 2.5 million "
        "euros and that the ferry will run every half hour until it is done.",
    ),
    ("\u3000.5 or ,7 first", ".5 or ,7 first"),
    ("\U0002f800\U0002f801 \u2f81\u2f82", "\U0002f800 \U0002f801 \u2f81 \u2f82"),
    ("a hy-\nphen and a\nline-\n", "a hyphen and a line-"),
    ("the same day the same day the same day", "the same day, the same way"),
    # Shifts: one; two; of eleven words, over 50 words; more than 1,000 to try; and lengths that need a wider beam.
    ("on the red mat sits the cat", "the cat sits on the red mat"),
    ("today we sing and tomorrow we dance in the old town", "in the old town we dance tomorrow and we sing today"),
    ("a b c d e f g h i j k l m n o p q r", "l m n o p q r a b c d e f g h i j k"),
    ("last word first " + "step by step " * 20, "step by step " * 20 + "last word first"),
    ("round and round and up and down " * 6, "up and round and down and round " * 7),
    ("home", "so they walked on and on " * 10 + "home"),
    ("so they walked on and on " * 10 + "home", "at home"),
    # Matches outside the beam, and inside the wider one.
    ("first last", "first " + "and another " * 30 + "last"),
    ("here", "we went on and on " * 4 + "here " + "and on and on " * 14),
    # What decides which shift is tried and taken: errors on both sides, length, the earliest words and place.
    ("b c b d f", "c f b d b"),
    ("a b a c", "c a a b"),
    ("b d d a", "d b b d"),
    ("a d e c", "e d c a"),
    ("a g j b", "g b a j"),
    # The limit of 1,000 comes earlier when a place is tried twice in a row.
    ("a d a c b d c a b a c d d b c a c c d a d c c a c c b d d", "a d b a c d d b c a c c d a d c c a c c b a c b a d c a d d"),
]

# Matching words and one matching pair of words: smoothing decides the score.
FEW_MATCHES = ("a small grey cat slept on the warm roof", "the cat sleeps on the roof of a house")

TOKENIZERS = ("13a", "none", "intl", "char", "zh")

# Value None: sacreBLEU's default.
SMOOTHINGS = (("exp", None), ("floor", None), ("floor", 0.5), ("add-k", None), ("add-k", 2), ("none", None))


def bleu_dict(bleu, score):
    return {
        "score": score.score,
        "precisions": score.precisions,
        "brevity_penalty": score.bp,
        "matches": score.counts,
        "totals": score.totals,
        "hypothesis_length": score.sys_len,
        "reference_length": score.ref_len,
        "signature": str(bleu.get_signature()),
        "line": score.format(signature=str(bleu.get_signature())),
    }


def main():
    assert sacrebleu.__version__ == "2.6.0", sacrebleu.__version__
    hypotheses = [pair[0] for pair in PAIRS]
    references = [pair[1] for pair in PAIRS]
    corpus_bleu, smoothed, corpus_chrf, corpus_ter, pairs = [], [], [], [], []
    for lowercase in (False, True):
        for tokenizer in TOKENIZERS:
            bleu = BLEU(tokenize=tokenizer, lowercase=lowercase, force=True)
            score = bleu.corpus_score(hypotheses, [references])
            corpus_bleu.append({"tokenizer": tokenizer, "lowercase": lowercase, **bleu_dict(bleu, score)})
        for word_order in (0, 2):
            chrf = CHRF(word_order=word_order, lowercase=lowercase)
            score = chrf.corpus_score(hypotheses, [references])
            corpus_chrf.append({
                "word_ngrams": word_order == 2, "lowercase": lowercase, "score": score.score,
                "signature": str(chrf.get_signature()),
                "line": score.format(signature=str(chrf.get_signature())),
            })
        ter = TER(case_sensitive=not lowercase)
        score = ter.corpus_score(hypotheses, [references])
        corpus_ter.append({
            "lowercase": lowercase, "score": score.score, "edits": score.num_edits, "reference_length": score.ref_length,
            "signature": str(ter.get_signature()), "line": score.format(signature=str(ter.get_signature())),
        })
    for method, value in SMOOTHINGS:
        bleu = BLEU(smooth_method=method, smooth_value=value)
        score = bleu.corpus_score([FEW_MATCHES[0]], [[FEW_MATCHES[1]]])
        line = score.format(signature=str(bleu.get_signature()))
        smoothed.append({"method": method, "value": value, "score": score.score, "precisions": score.precisions, "line": line})
    tokenizers = {name: BLEU(tokenize=name, effective_order=True) for name in TOKENIZERS}
    smoothings = {name: BLEU(smooth_method=name, effective_order=True) for name in ("floor", "add-k", "none")}
    for hypothesis, reference in PAIRS:
        pair = {"hypothesis": hypothesis, "reference": reference}
        for name, bleu in tokenizers.items():
            pair[f"words_{name}"] = " ".join(bleu.tokenizer(hypothesis.rstrip()).split())
        # With effective order, as sacreBLEU advises for single sentences.
        pair["bleu"] = tokenizers["13a"].sentence_score(hypothesis, [reference]).score
        for method, bleu in smoothings.items():
            pair[f"bleu_{method}"] = bleu.sentence_score(hypothesis, [reference]).score
        pair["chrf"] = CHRF().sentence_score(hypothesis, [reference]).score
        pair["chrf_words"] = CHRF(word_order=2).sentence_score(hypothesis, [reference]).score
        ter = TER().sentence_score(hypothesis, [reference])
        pair["ter"], pair["ter_edits"] = ter.score, ter.num_edits
        pairs.append(pair)

    def rows(values):
        return ",\n".join(" " + json.dumps(value, ensure_ascii=True) for value in values)

    path = pathlib.Path(__file__).with_name("metrics.json")
    path.write_text(
        f'{{"pairs": [\n{rows(pairs)}\n],\n"bleu": [\n{rows(corpus_bleu)}\n],\n'
        f'"few_matches": {json.dumps(FEW_MATCHES)},\n"chrf": [\n{rows(corpus_chrf)}\n],\n"smoothed": [\n{rows(smoothed)}\n],\n"ter": [\n{rows(corpus_ter)}\n]}}\n', encoding="ascii", newline="\n")


if __name__ == "__main__":
    main()
