/** Spec 2.6. */
export interface FeedbackRequest {
  /** The query that was searched. */
  query: string
  /** For each URL a score: 0 not loaded, 1 low relevance, 2 somewhat relevant, 3 relevant, 4 highly relevant, 5 perfect. */
  feedback: Readonly<Record<string, 0 | 1 | 2 | 3 | 4 | 5>>
  feedback_text?: string
}

/** Spec 2.6. */
export interface FeedbackResponse {
  message: string
}
