/**
 * Encrypts and decrypts MTProto 2.0 messages with a shared key. The cipher is AES-256 in IGE mode, and each
 * message has its own key, computed from the shared key and the text.
 */
import { createCipheriv, createDecipheriv, createHash, randomBytes } from 'node:crypto'

const sha256 = (...parts: readonly Uint8Array[]): Buffer => {
  const hash = createHash('sha256')
  for (const part of parts) hash.update(part)
  return hash.digest()
}

const keyIdOf = (authKey: Buffer): Buffer => createHash('sha1').update(authKey).digest().subarray(12, 20)

/** Computes the key of a message. `shift` is 0 for messages of the client and 8 for messages of the server. */
function keysOf(authKey: Buffer, messageKey: Buffer, shift: 0 | 8) {
  const left = sha256(messageKey, authKey.subarray(shift, shift + 36))
  const right = sha256(authKey.subarray(40 + shift, 76 + shift), messageKey)
  return {
    key: Buffer.concat([left.subarray(0, 8), right.subarray(8, 24), left.subarray(24, 32)]),
    iv: Buffer.concat([right.subarray(0, 8), left.subarray(8, 24), right.subarray(24, 32)]),
  }
}

const xor = (left: Buffer, right: Buffer): Buffer => Buffer.from(left.map((byte, at) => byte ^ (right[at] ?? 0)))

function ige(data: Buffer, { key, iv }: Readonly<{ key: Buffer; iv: Buffer }>, isEncrypting: boolean): Buffer {
  const cipher = isEncrypting ? createCipheriv('aes-256-ecb', key, null) : createDecipheriv('aes-256-ecb', key, null)
  cipher.setAutoPadding(false)
  const blocks: Buffer[] = []
  // The cipher text and the plain text of the previous block. At first they are the two halves of `iv`.
  let [crypt, plain] = [iv.subarray(0, 16), iv.subarray(16, 32)]
  for (let at = 0; at < data.length; at += 16) {
    const block = data.subarray(at, at + 16)
    const [before, after] = isEncrypting ? [crypt, plain] : [plain, crypt]
    const made = xor(cipher.update(xor(block, before)), after)
    blocks.push(made)
    ;[crypt, plain] = isEncrypting ? [made, block] : [block, made]
  }
  return Buffer.concat(blocks)
}

/** Returns the plain text of a message from the client. */
export function decrypt(authKey: Buffer, packet: Buffer): Buffer {
  const messageKey = packet.subarray(8, 24)
  const plain = ige(packet.subarray(24), keysOf(authKey, messageKey, 0), false)
  const expected = sha256(authKey.subarray(88, 120), plain).subarray(8, 24)
  if (!expected.equals(messageKey)) throw new Error('the message does not fit its key')
  return plain
}

export function encrypt(authKey: Buffer, text: Buffer): Buffer {
  const padding = 16 - (text.length % 16)
  const plain = Buffer.concat([text, randomBytes(padding < 12 ? padding + 16 : padding)])
  const messageKey = sha256(authKey.subarray(96, 128), plain).subarray(8, 24)
  return Buffer.concat([keyIdOf(authKey), messageKey, ige(plain, keysOf(authKey, messageKey, 8), true)])
}
