/**
 * Signs the response of a paid route with Ed25519 (RFC 9421), if the client asks for it. The signature covers the
 * status, the digest of the body (RFC 9530), the cut, and the route and parameters of the request.
 */
import { createHash } from 'node:crypto'
import { createSignatureSync } from 'http-message-sig'
import type { Context } from 'koa'
import type { CurrentKey, SigningKeys } from '../../infra/data-dir/signing-keys.ts'
import {
  coveredAlways,
  cutComponent,
  receiptComponent,
  signatureAlgorithm,
  signatureTag,
  textOfComponent,
} from '../../schemas/signed-answers.ts'
import { type AskedSignature, askedSignature } from './accept-signature.ts'

/**
 * Signs `ctx.response` if the client asks for it. Must be called when the response is complete, and only after the
 * payment was verified, because a signature takes 0.1 ms. Never fails: a buyer gets the answer also if it cannot be
 * signed.
 */
export type AnswerSigner = (ctx: Context) => Promise<void>

type Signing = Readonly<{
  keys: SigningKeys
  publicBaseUrl: string
  /** Called if an answer is sent without the signature that the client asked for. */
  onFailure: (error: unknown) => void
}>

export function createAnswerSigner({ keys, publicBaseUrl, onFailure }: Signing): AnswerSigner {
  const base = publicBaseUrl.replace(/\/+$/, '')
  const sign = async (ctx: Context, header: string): Promise<void> => {
    const key = await keys.current()
    const asked = askedSignature(header, { keyId: key.id, components: coverable(ctx) })
    // The public URL is signed, because a proxy may remove a part of the path.
    const targetUri = `${base}${ctx.path}${ctx.search}`
    if (asked !== null && isAscii(targetUri)) writeSignature(ctx, { key, asked, targetUri })
  }
  return async (ctx) => {
    const header = ctx.get('Accept-Signature')
    if (header !== '') await sign(ctx, header).catch(onFailure)
  }
}

/** A signature can cover only ASCII. Node also accepts other bytes in a URL. */
const isAscii = (text: string): boolean => /^[\x21-\x7e]*$/.test(text)

/** The covered headers that not every response has: a refusal has no cut, and an answer of a replay has no receipt. */
const ownOf = ({ response: { headers } }: Context) =>
  [cutComponent, receiptComponent].filter(({ name }) => headers[name] !== undefined)

const coverable = (ctx: Context): ReadonlySet<string> => new Set([...coveredAlways, ...ownOf(ctx)].map(textOfComponent))

type Asked = Readonly<{ key: CurrentKey; asked: AskedSignature; targetUri: string }>

function writeSignature(ctx: Context, { key, asked, targetUri }: Asked): void {
  const body = bytesOf(ctx.body)
  const digest = `sha-256=:${createHash('sha256').update(body).digest('base64')}:`
  const own = ownOf(ctx).filter(({ name }) => name === cutComponent.name || asked.components.has(name))
  const { signature, signatureInput } = createSignatureSync(
    {
      ...{ kind: 'response', status: ctx.status },
      fields: [
        { name: 'content-digest', value: digest },
        ...own.map(({ name }) => ({ name, value: ctx.response.get(name) })),
      ],
      request: { kind: 'request', method: ctx.method, targetUri, fields: [] },
    },
    {
      label: asked.label,
      components: [...coveredAlways, ...own],
      parameters: {
        ...{ created: key.atSec, keyid: key.id, alg: signatureAlgorithm, tag: signatureTag },
        ...(asked.nonce === null ? {} : { nonce: asked.nonce }),
      },
      signer: { algorithm: signatureAlgorithm, sign: key.sign },
    },
  )
  ctx.body = body
  ctx.set('Content-Digest', digest)
  ctx.set('Signature-Input', signatureInput)
  ctx.set('Signature', signature)
  // A proxy that compresses the answer would change the bytes that the digest covers.
  ctx.set('Cache-Control', `${ctx.response.get('Cache-Control')}, no-transform`)
}

/** Returns the bytes that Koa would send. */
function bytesOf(body: unknown): Buffer {
  if (Buffer.isBuffer(body)) return body
  return Buffer.from(typeof body === 'string' ? body : JSON.stringify(body))
}
