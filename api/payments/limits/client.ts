/** The sender of a payment, as the limits identify it. */
import type { PaidRequest } from '../payment.ts'
import type { ReadPayment } from '../payment-reader.ts'

/** `payer`: the payer that the payment names, in lower case. */
export type Client = Readonly<{ address: string; payer: string }>

export const clientOf = ({
  request,
  payment,
}: Readonly<{ request: Pick<PaidRequest, 'clientAddress'>; payment: Pick<ReadPayment, 'identity'> }>): Client => ({
  address: request.clientAddress,
  payer: payment.identity.payer.toLowerCase(),
})
