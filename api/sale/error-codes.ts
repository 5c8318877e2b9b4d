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
    toDo: 'Correct the identifier. `error` names it and describes its form.',
  },
  bad_param: {
    meaning: 'A parameter is outside its bounds or its values, is not a plain decimal number, or was given twice.',
    toDo: 'Correct the parameter. `error` names it and its bounds. Values are never clamped or guessed.',
  },
  bad_message: {
    meaning: 'The body sent to /mcp is not a JSON-RPC message, or is a batch of messages.',
    toDo: 'Send one JSON-RPC message per request.',
  },
  bad_token: {
    meaning: 'The token of the stream is missing, was not issued by this service, or has expired.',
    toDo: 'Buy a pass at /v1/stream/pass and connect with its token.',
  },
  cursor_unknown: {
    meaning:
      'The cursor of the stream (`from`, or Last-Event-ID with `resume=1`) is not the id of an event of this service.',
    toDo: 'Send the id of the last event as it was received, or continue from the cursor in `oldest`. If events are missing then, the history routes have their rows.',
  },
  cursor_too_old: {
    meaning: 'The events after the cursor of the stream begin more than 24 h ago, so they are not sent again.',
    toDo: 'Continue from the cursor in `oldest`, or connect without a cursor. The history routes have the rows of the missing events.',
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
    toDo: 'Sign a new payment. If `error` says that no transfer is known, repeat the same payment first. If `error` says that an earlier request may have been charged, look for the transfer first.',
  },
  payment_already_used: {
    meaning: 'The payment was used before: for another request, with another signature, or outside this service.',
    toDo: 'Sign a new payment. To get an answer again, repeat the request that the payment was for, with the same signature.',
  },
  not_tracked: {
    meaning:
      'The token, pool, wallet or mint in the path is not tracked, or there is nothing to show for it now. The service checks this before and after the payment is signed, and never charges for it.',
    toDo: 'Ask about a token, pool, wallet or mint that is tracked. `error` names a route that lists them.',
  },
  no_such_route: { meaning: 'There is no such path.', toDo: 'The routes are listed at `/`.' },
  method_not_allowed: { meaning: 'The path exists, but not with this method.', toDo: 'Use GET. For /mcp, use POST.' },
  message_too_long: { meaning: 'A message to /mcp is too long.', toDo: 'Send a shorter message.' },
  rate_limited: {
    meaning:
      'One address sent too many requests to free routes, or too many messages to /mcp. Paid routes have no limit other than payment.',
    toDo: 'Wait for the number of seconds in the Retry-After header, then try again.',
  },
  too_many_connections: {
    meaning: 'The pass, the address or the stream already has its maximum number of connections.',
    toDo: 'Close a connection, or wait and connect again.',
  },
  warming_up: {
    meaning:
      'The service cannot read the data of the answer yet, for example shortly after a start. Or the payment has arrived, but its answer is late.',
    toDo: 'Wait for the number of seconds in the Retry-After header, then repeat the request. If it had a PAYMENT-SIGNATURE header, send the same header.',
  },
  data_stale: {
    meaning: 'The data is too old for this route. `error` says which data is behind, and how far.',
    toDo: 'Try again in some seconds. /v1/health shows the age of the data.',
  },
  stream_disabled: { meaning: 'The stream is switched off on this server.', toDo: 'Poll the live routes instead.' },
  payments_not_live: {
    meaning:
      'The service takes no payments at the moment, has too many other payments to check, or does not know yet whether this payment has arrived.',
    toDo: 'Wait for the number of seconds in the Retry-After header, then repeat the request. If it had a PAYMENT-SIGNATURE header, send the same header. The payment is charged at most one time.',
  },
  internal: {
    meaning: 'Something failed on our side.',
    toDo: 'Try again. `error` contains the id of the request. Our log has the cause under this id.',
  },
}

export const errorCodes = Object.keys(explained) as readonly ErrorCode[]

export const statusOfError = (code: ErrorCode): number => {
  if (code in paymentStatus) return paymentStatus[code as PaymentRefusalCode]
  return statusOf[code as RefusalCode]
}
