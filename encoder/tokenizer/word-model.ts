/** Cuts a word into pieces of a vocabulary, and returns their ids. */
export interface WordModel {
  pieces(word: string): readonly number[]
}
