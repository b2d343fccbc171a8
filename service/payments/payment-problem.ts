/** Why payments can't be taken or settled. The message is for the operator; a library's error is in `cause`. */
export class PaymentProblem extends Error {
  override readonly name = 'PaymentProblem'
}
