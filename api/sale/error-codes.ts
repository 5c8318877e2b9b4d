/** Every error code with its meaning and remedy. The documents and the error pages are generated from it. */
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
    meaning: 'What the path names (a token, a pool, a wallet) is not written like one.',
    toDo: 'Correct it: `error` says which one and how it looks.',
  },
  bad_param: {
    meaning: 'A parameter is outside its bounds or its values, is not a plain decimal number, or was given twice.',
    toDo: 'Correct it: `error` names it and its bounds. Values are never clamped or guessed.',
  },
  bad_message: {
    meaning: 'What was sent to /mcp is no message of the protocol, or it is several at once.',
    toDo: 'Send one JSON-RPC message a request.',
  },
  bad_token: {
    meaning: 'The token of the stream is missing, was not issued here, or has expired.',
    toDo: 'Buy a pass at /v1/stream/pass and connect with its token.',
  },
  forbidden: {
    meaning: 'The Host or the Origin of the request is not one that is served.',
    toDo: 'Ask at the public address of the service.',
  },
  payment_required: {
    meaning:
      'The call costs money and came without a payment. The PAYMENT-REQUIRED header and the body say how much and where to.',
    toDo: 'Sign a payment of one of `accepts` and repeat the request with it in the PAYMENT-SIGNATURE header. x402 clients do this by themselves.',
  },
  payment_invalid: {
    meaning:
      'The payment was refused: `error` gives the reason, such as too little money, an expired signature or a wrong amount.',
    toDo: 'Sign a new payment. Where `error` says that no transfer is known yet, repeat the same one first; where it says that an earlier request may have been charged, look for its transfer first.',
  },
  payment_already_used: {
    meaning: 'The payment was used before: for another request, under another signature, or elsewhere.',
    toDo: 'Sign a new payment. To have an answer again, repeat the request that it paid for, with the same signature.',
  },
  not_tracked: {
    meaning:
      'Nothing is known of the token, pool, wallet or mint in the path, or nothing can be shown of it now. Found out before or after the payment was signed, and never charged.',
    toDo: 'Ask for one that is tracked: `error` names the route that lists them.',
  },
  no_such_route: { meaning: 'There is no such path.', toDo: 'The routes are listed at `/`.' },
  method_not_allowed: { meaning: 'The path is there, but not with this method.', toDo: 'Use GET; at /mcp use POST.' },
  message_too_long: { meaning: 'A message to /mcp is longer than what is read.', toDo: 'Send a shorter one.' },
  rate_limited: {
    meaning:
      'Too many requests of one address to free routes, or messages to /mcp. Paid routes have no limit but payment.',
    toDo: 'Wait as many seconds as the Retry-After header says.',
  },
  too_many_connections: {
    meaning: 'The pass has its two connections already, or the stream is full.',
    toDo: 'Close one of them, or wait and connect again.',
  },
  warming_up: {
    meaning: 'The data is not there yet, shortly after a start; or the payment has arrived and its answer is late.',
    toDo: 'Repeat the request after the seconds of the Retry-After header: with the same PAYMENT-SIGNATURE, if there was one.',
  },
  data_stale: {
    meaning: 'The data is older than what this route sells. `error` says what is behind and how far.',
    toDo: 'Try again shortly; /v1/health tells the age of the data.',
  },
  stream_disabled: { meaning: 'The stream is switched off on this server.', toDo: 'Poll the live routes instead.' },
  payments_not_live: {
    meaning:
      'Payments cannot be taken at the moment, this one has not had its turn beside very many others, or it is not known yet whether it has arrived.',
    toDo: 'Repeat the request after the seconds of the Retry-After header: with the same PAYMENT-SIGNATURE, if there was one. It is charged at most once.',
  },
  internal: {
    meaning: 'Something failed on our side.',
    toDo: 'Try again. `error` has the id of the request, under which the cause is in our log.',
  },
}

export const errorCodes = Object.keys(explained) as readonly ErrorCode[]

export const statusOfError = (code: ErrorCode): number => {
  if (code in paymentStatus) return paymentStatus[code as PaymentRefusalCode]
  return statusOf[code as RefusalCode]
}
