/** Every error code with its meaning and remedy. The documents and the error pages are generated from this list. */
import type { PaymentRefusalCode, UnavailableOutcome } from '../payments/payment.ts'
import { type RefusalCode, statusOf } from './refusals.ts'

export type ErrorCode = RefusalCode | PaymentRefusalCode | UnavailableOutcome['code']

type Explained = Readonly<{ meaning: string; toDo: string }>

const paymentStatus: Readonly<Record<PaymentRefusalCode, number>> = {
  payment_required: 402,
  payment_invalid: 402,
  payment_already_used: 402,
}

export const explained: Readonly<Record<ErrorCode, Explained>> = {
  bad_address: {
    meaning: 'The identifier in the path (a token, a pool, a wallet) does not have the right form.',
    toDo: 'Correct it: `error` names it and describes its form.',
  },
  bad_param: {
    meaning: 'A parameter is outside its bounds or its values, is not a plain decimal number, or was given twice.',
    toDo: 'Correct it: `error` names it and its bounds. Values are never clamped or guessed.',
  },
  bad_message: {
    meaning: 'The body sent to /mcp is not a message of the protocol, or it is a batch.',
    toDo: 'Send one JSON-RPC message per request.',
  },
  bad_token: {
    meaning: 'The token of the stream is missing, was not issued here, or has expired.',
    toDo: 'Buy a pass at /v1/stream/pass and connect with its token.',
  },
  forbidden: {
    meaning: 'The service does not accept the Host or the Origin of the request.',
    toDo: 'Use the public address of the service.',
  },
  payment_required: {
    meaning:
      'The call costs money and came without a payment. The PAYMENT-REQUIRED header and the body say what to pay and to whom.',
    toDo: 'Sign a payment of one of `accepts` and repeat the request with it in the PAYMENT-SIGNATURE header. x402 clients do this automatically.',
  },
  payment_invalid: {
    meaning:
      'The payment was refused: `error` gives the reason, such as too little money, an expired signature or a wrong amount.',
    toDo: 'Sign a new payment. If `error` says that no transfer is known yet, repeat the same payment first. If it says that an earlier request may have been charged, look for its transfer first.',
  },
  payment_already_used: {
    meaning: 'The payment was used before: for another request, under another signature, or elsewhere.',
    toDo: 'Sign a new payment. To get an answer again, repeat the request that the payment was for, with the same signature.',
  },
  not_tracked: {
    meaning:
      'The token, pool, wallet or mint in the path is not tracked, or there is nothing to show for it now. This is checked before and after the payment is signed, and never charged.',
    toDo: 'Ask for a tracked one: `error` names the route that lists them.',
  },
  no_such_route: { meaning: 'There is no such path.', toDo: 'The routes are listed at `/`.' },
  method_not_allowed: { meaning: 'The path exists, but not with this method.', toDo: 'Use GET; for /mcp use POST.' },
  message_too_long: { meaning: 'A message to /mcp is too long.', toDo: 'Send a shorter one.' },
  rate_limited: {
    meaning:
      'One address sent too many requests to free routes, or messages to /mcp. Paid routes have no limit but payment.',
    toDo: 'Wait for the seconds of the Retry-After header.',
  },
  too_many_connections: {
    meaning: 'The pass already has its two connections, or the stream is full.',
    toDo: 'Close one of them, or wait and connect again.',
  },
  warming_up: {
    meaning: 'There is no data yet, shortly after a start; or the payment has arrived and its answer is late.',
    toDo: 'Repeat the request after the seconds of the Retry-After header. If it had a PAYMENT-SIGNATURE, send the same one.',
  },
  data_stale: {
    meaning: 'The data is too old for this route. `error` says which data is behind, and how far.',
    toDo: 'Try again shortly; /v1/health has the age of the data.',
  },
  stream_disabled: { meaning: 'The stream is switched off on this server.', toDo: 'Poll the live routes instead.' },
  payments_not_live: {
    meaning:
      'Payments cannot be taken at the moment, or this payment did not get its turn among very many others, or it is not known yet whether it has arrived.',
    toDo: 'Repeat the request after the seconds of the Retry-After header. If it had a PAYMENT-SIGNATURE, send the same one: it is charged at most once.',
  },
  internal: {
    meaning: 'Something failed on our side.',
    toDo: 'Try again. `error` has the id of the request, which identifies the cause in our log.',
  },
}

export const errorCodes = Object.keys(explained) as readonly ErrorCode[]

export const statusOfError = (code: ErrorCode): number => {
  if (code in paymentStatus) return paymentStatus[code as PaymentRefusalCode]
  return statusOf[code as RefusalCode]
}
