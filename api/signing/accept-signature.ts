/**
 * Reads the header `Accept-Signature` (RFC 9421, section 5), with which a client asks for a signature. No value of it is
 * refused. If the service cannot satisfy any member, the answer has no signature.
 */
import type { Parameters } from 'structured-headers'
import { signatureMembersIn } from '../../infra/signature-headers.ts'
import { signatureAlgorithm, signatureTag } from '../../schemas/signed-answers.ts'

/** What the service signs if the client asks for it. */
export type AskedSignature = Readonly<{
  /** The name of the signature. */
  label: string
  /** A text of the client that the signature contains. */
  nonce: string | null
  /** The components that the client lists: `@path;req`. */
  components: ReadonlySet<string>
}>

type Offered = Readonly<{
  keyId: string
  /** The components that a signature of this response can cover. */
  components: ReadonlySet<string>
}>

/** The longest header that is read. A request for all components has about 200 characters. */
const headerLengthMax = 1_024
const nonceLengthMax = 128

/** Returns the first signature in the header that the service can make, or null. */
export function askedSignature(header: string, offered: Offered): AskedSignature | null {
  if (header.length > headerLengthMax) return null
  for (const [label, [items, parameters]] of signatureMembersIn(header)) {
    const components = new Set(items.map(([name, its]) => textOf(String(name), its)))
    const isOffered = [...components].every((component) => offered.components.has(component))
    if (isOffered && isSatisfiable(parameters, offered.keyId)) return { label, nonce: nonceOf(parameters), components }
  }
  return null
}

/** Returns a text that no offered component has if the component has other parameters than `req`. */
const textOf = (name: string, parameters: Parameters): string =>
  [name, ...[...parameters].map(([key, value]) => (value === true ? key : `${key}=…`))].join(';')

/** Whether the signature can have all these parameters. RFC 9421 requires that none is ignored. */
function isSatisfiable(parameters: Parameters, keyId: string): boolean {
  return [...parameters].every(([name, value]) => {
    switch (name) {
      case 'created':
        return value === true
      case 'alg':
        return value === signatureAlgorithm
      case 'keyid':
        return value === keyId
      case 'tag':
        return value === signatureTag
      case 'nonce':
        return typeof value === 'string' && value.length <= nonceLengthMax
      default:
        return false
    }
  })
}

function nonceOf(parameters: Parameters): string | null {
  const nonce = parameters.get('nonce')
  return typeof nonce === 'string' ? nonce : null
}
