/**
 * Divides the questions into slices. Each engine gets every slice in turn, so that other load on the machine affects all
 * engines equally. A different engine begins each slice.
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
