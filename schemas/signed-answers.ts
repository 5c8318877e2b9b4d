/**
 * The words of signed answers (RFC 9421). The API signs answers, and `launch-data verify-answer` verifies them, so both
 * must agree on what a signature covers and on the place of the public keys.
 */

/** A covered component, in the form of the signing library. `req`: the component belongs to the request. */
export type CoveredComponent = Readonly<{ name: string; parameters: Readonly<{ req?: true }> }>

const ofResponse = (name: string): CoveredComponent => ({ name, parameters: {} })
const ofRequest = (name: string): CoveredComponent => ({ name, parameters: { req: true } })

/**
 * The components that every signature covers, in their order. The host of the request is not covered, because a client
 * can reach the service by several names. The key already identifies the service.
 */
export const coveredAlways: readonly CoveredComponent[] = [
  ofResponse('@status'),
  ofResponse('content-digest'),
  ofRequest('@method'),
  ofRequest('@path'),
  ofRequest('@query'),
]

/** The cut of the answer in epoch ms. Every paid answer has this header, and every signature of an answer covers it. */
export const cutComponent = ofResponse('answer-cut')

/**
 * The receipt of the payment. Only a client that asks for it gets it covered, because a signed answer with the receipt
 * cannot be shown to others without the payer.
 */
export const receiptComponent = ofResponse('payment-response')

/** The text of a component in `Accept-Signature`, without quotes: `@path;req`. */
export const textOfComponent = ({ name, parameters }: CoveredComponent): string =>
  parameters.req === true ? `${name};req` : name

export const signatureAlgorithm = 'ed25519'

/** The `tag` of every signature. It shows for which purpose the service signed. */
export const signatureTag = 'launch-data-answer'

/** The place and the media type of the public keys, from draft-meunier-http-message-signatures-directory. */
export const keyDirectoryPath = '/.well-known/http-message-signatures-directory'
export const keyDirectoryType = 'application/http-message-signatures-directory+json'

/** A public key as a JSON Web Key. `nbf` and `exp`: the range of the `created` of its signatures, in epoch seconds. */
export type PublishedKey = Readonly<{
  kty: 'OKP'
  crv: 'Ed25519'
  x: string
  /** The thumbprint of the key (RFC 7638). */
  kid: string
  use: 'sig'
  nbf: number
  exp?: number
}>
