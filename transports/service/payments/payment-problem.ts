/** Why payments cannot be taken or settled, in words for the operator: what a library reported is in `cause`. */
export class PaymentProblem extends Error {
  override readonly name = 'PaymentProblem'
}
