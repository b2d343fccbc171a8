/** How the numbers of the ranking profiles came about: what a run can not tell anew. Part of every report. */
export const parametersChosen = `## How the parameters were chosen

realtime: k1, b and the weight of the title by leave-one-out over the English collections, one setting for all of them. Chosen anew on a
finer grid (64 points, up to 250 queries of each), leave-one-out takes k1 2.4, b 0.6 for most and measures 0.6073 where k1 2, b 0.5, title 3 have 0.6071:
they stay. Words that nobody wrote are taken apart: +0.0019 at a weight of 0.6 as of 0.8, of which checkthat-2020 (hashtags) has all; two parts
at most +0.0014; xquad-de +0.4 %. Tried and left out, by what each changed on the mean: neighbouring words of the query joined +0.0002 to −0.0003; more function words (prepositions
−0.0008, adverbs and pronouns 0.0000, one/two/three −0.0011), "use" −0.0021, "like want need know tell" −0.0015; a repeated word counting
less −0.0024 to 0.0000; seven other idf −0.0011 to +0.0001.

Quotation marks (\`--quoted\`: the queries that have some, asked with them; nDCG@10 of pro before and after phrases that no page has all of were searched for as
words): checkthat-2020 (231 queries) 0.320 and 0.862, xquad-ar (30) 0.533 and 0.700, xquad-de (15) 0.667 and 1.000, cisi (5) 0.044 and 0.329, stackfaq (5) 0.361 and 0.561; the others
stay. What a phrase counts for then hardly matters, as the page looked for mostly has none of them: on checkthat-2020 0.860 at weight 0, 0.862 at 1 (realtime 0.849 and 0.853) as at 3.

pro: of up to 200 queries of each English collection the best candidates with their features (term vectors, lengths,
beginnings of texts) were taken out of the engine once. The weights and sizes were varied on them, one or two at a time, over
some 120 settings. There is one rounded setting for all collections. On that sample it has 1.035 × the mean nDCG@10 of realtime;
choosing among the last 31 of them on eleven collections and measuring on the twelfth, for each of the twelve, gives 1.034 ×. Where settings were within
0.002 of one another, the one that loses least on any collection was taken.

Once more with up to 100 queries of each, each number varied up and down, over some 60 settings: none is better by more than 0.0004. With 25
finalists 80 candidates cost 0.0005 of nDCG@10, 60 cost 0.0019, 40 cost 0.0040; with 100 candidates 20 finalists instead of 25 cost nothing (+0.0001,
and lisa has 0.995 of realtime instead of 0.989), 18 cost 0.0003, 15 cost 0.0017, none at all 0.0045. 80 and 20 together have 0.6367 where 100 and
25 had 0.6368, for a fifth fewer reads: they were taken. On up to 80 queries of each, most of them others, they have 0.6186 where 100 and 25
have 0.6195. Pro gains less over realtime since realtime takes words apart: parts of words in
common had found hashtags for it before.

Tried there and left out, with what each changed on the mean: 200 candidates +0.001 to +0.002, for twice the reads and a loss
on lisa; a second retrieval with the words of the best pages +0.001, all of it on nfcorpus-stripped; neighbours among the best
50 alone −0.001; idf of the whole index in the consensus −0.001; the share of the query's words that a page has −0.001; a
cosine with the query −0.001; a second BM25 with other k1 and b −0.002; a second round of feedback from the re-scored order −0.0025; the places of first
occurrences alone, instead of reading texts −0.0035 to −0.006 and beside them −0.001; earlier terms weighing more in the consensus −0.0016; (1 + ln tf)
replaced by its root 0.0000 to +0.0003; cosines to the power 0.7 or 2 −0.0002 to −0.0011; all signals to the power 0.7 or 1.3 −0.0008 to −0.0010, clipped at 2.5 or 4 standard deviations −0.002; the BM25F
score to the power 0.7 or 1.3 −0.0003 to −0.0020.

A third time, with up to 200 queries of each (1,358; 0.6291, 1.035 × realtime, the time that a query asks for left aside): nothing was found that adds 0.002 of
nDCG@10, and nothing was changed. All weights fitted at once to all twelve collections add 0.0003; with eleven further signals beside, 0.0012, before any
leave-one-out. By what each changed on the mean: the best passage of 15 to 120 words, by BM25 −0.0007 to −0.0040, by how much of the query it has 0.0000
to −0.0043; pairs within 2, 15 or 30 positions −0.0013 to −0.0046; the share of the title that the query has −0.0005 to −0.0022; the length of the page either way −0.0006
to −0.0043; distinct words by idf or its square −0.0004 to −0.0048; BM25 with idf squared, with that of the candidates, or by what the best pages have −0.0009 to −0.0023; parts of words in common of all
candidates +0.0005. Consensus and neighbours without the query's words −0.0004 to −0.0026; less what is like the worst candidates −0.0011 to −0.0028; by
ranks −0.0020 to −0.0042; likeness to all candidates −0.0003 to −0.0017; BM25 weights, roots, other norms, hubs weighing less −0.0004 to −0.0186; means instead of
sums over the neighbours −0.0008 to −0.0012; a query's words found in neighbours only +0.0001 to −0.0013; several settings averaged +0.0004 to −0.0006. Words for the expansion that go with every word of the query (local context
analysis) +0.0004 to −0.0013, by log-odds −0.0008 to −0.0013. Reciprocal ranks as a signal −0.0008 to −0.0023; ranges instead of standard deviations −0.0025
to −0.0056, mean distances −0.0013. The weights of consensus and neighbours by the length of the query, the idf of its words, the lead of the first
result, how many are good or how alike: +0.0012 at best where it was chosen (more for short questions), −0.0017 leave-one-out. 100 candidates +0.0006, 200 +0.0017; 60 with
weights of 0.8 and 0.4 for the two −0.0007.

The time that a query asks for can be judged by checkthat-2020 alone, whose pages follow their queries closely: 0.870 without it, 0.881
at weight 0.5, 0.886 at 1, 0.898 at 2 (nDCG@10 of pro, 300 queries). Its weight is 1. The share of hosts, what makes two pages
the same, and fewer candidates counting less are mild choices that no collection here can judge.`
