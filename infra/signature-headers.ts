/** Reads the headers of signatures (RFC 9421) and digests (RFC 9530), which are dictionaries. */
import { type Dictionary, type InnerList, isInnerList, parseDictionary } from 'structured-headers'

/** Reads `Accept-Signature` or `Signature-Input`. Returns the label of each signature, its components and parameters. */
export const signatureMembersIn = (header: string): readonly (readonly [label: string, member: InnerList])[] =>
  [...dictionaryIn(header)].flatMap(([label, member]) => (isInnerList(member) ? [[label, member] as const] : []))

/** Returns the members of a dictionary (RFC 9651). There are none if the header is not a dictionary. */
export function dictionaryIn(header: string): Dictionary {
  try {
    return parseDictionary(header)
  } catch {
    return new Map()
  }
}
