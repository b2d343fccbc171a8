/**
 * Cuts the questions into slices and gives every slice to each engine in turn, so that whatever else the machine does
 * affects all engines alike. A different engine begins each slice.
 */
export function* interleave<Engine, Question>(
  engines: readonly Engine[],
  questions: Question[],
  sliceSize: number,
): Generator<{ engine: Engine; from: number; slice: Question[] }> {
  for (let from = 0, turn = 0; from < questions.length; from += sliceSize, turn++) {
    const slice = questions.slice(from, from + sliceSize)
    for (let i = 0; i < engines.length; i++) yield { engine: engines[(i + turn) % engines.length]!, from, slice }
  }
}
