/** The page about signed answers: how to ask for a signature, what it proves, and how to verify it. */
import {
  coveredAlways,
  cutComponent,
  keyDirectoryPath,
  receiptComponent,
  signatureTag,
  textOfComponent,
} from '../../schemas/signed-answers.ts'
import { type Block, htmlOf, markdownOf } from './blocks.ts'
import { html } from './html.ts'
import { type Page, renderPage } from './page.ts'

export const signedAnswersPath = '/docs/signed-answers'

const whatItProves: Readonly<Record<string, string>> = {
  '@status': 'The status of the answer.',
  'content-digest': 'The body: the SHA-256 of its bytes (RFC 9530).',
  '@method;req': 'The method of the request.',
  '@path;req': 'The route, with the token, pool or wallet in its path.',
  '@query;req': 'The parameters of the request, as they were sent.',
  'answer-cut': 'The cut in epoch ms. It equals `generatedAt` of the body. A refusal has no cut.',
  'payment-response': 'The receipt of the payment. It is covered only if you list it: `sig1=("payment-response")`.',
}

/** Verifies a signature in ten lines. `response` is the answer that the client of the reader has bought. */
const verifyCode = `import { createHash, createPublicKey, type JsonWebKey, verify } from 'node:crypto'
import { component, verifySignature } from 'http-message-sig'
const directory = await (await fetch(new URL('${keyDirectoryPath}', response.url))).json()
const { keys } = directory as { keys: (JsonWebKey & { kid: string })[] }
const keyOf = (id?: string) => createPublicKey({ key: keys.find(({ kid }) => kid === id) ?? {}, format: 'jwk' })
const message = { kind: 'response', status: response.status, fields: [...response.headers].map(([name, value]) => ({ name, value })), request: { kind: 'request', method: 'GET', targetUri: response.url, fields: [] } } as const
const requiredComponents = ['@status', 'content-digest', 'answer-cut', ...['@method', '@path', '@query'].map((name) => component(name, { req: true }))]
await verifySignature(message, { policy: { algorithms: ['ed25519'], requiredComponents, requiredParameters: ['created', 'keyid'] }, resolveVerifier: ({ parameters }) => ({ algorithm: 'ed25519', verify: (data, signature) => verify(null, data, keyOf(parameters.keyid), signature) }) })
const digest = createHash('sha256').update(Buffer.from(await response.arrayBuffer())).digest('base64')
console.log(response.headers.get('content-digest') === \`sha-256=:\${digest}:\`)`

const blocksOf = (publicBaseUrl: string): readonly Block[] => [
  {
    text: 'A signature proves that this service gave this answer to this request: its body, its route, its parameters and its cut. You can show the answer to others, and they can verify it without asking you.',
  },
  { heading: 'How to ask', level: 2 },
  {
    text: 'Send the header `Accept-Signature: sig1=()` (RFC 9421) with the request that pays. It costs nothing. The answer then has the headers `Content-Digest`, `Signature-Input` and `Signature`. The body is the same.',
  },
  {
    text: `The service makes one signature, with Ed25519. It uses the first member of the header that it can satisfy. A member may list the components below, and have the parameters \`created\`, \`alg="ed25519"\`, \`keyid\` (the key that signs now), \`tag="${signatureTag}"\` and \`nonce\` (up to 128 characters). If the service can satisfy no member, or the header has more than 1,024 characters, the answer has no signature. No request is refused for this header.`,
  },
  { heading: 'What is covered', level: 2 },
  {
    heads: ['Component', 'What it proves'],
    rows: [...coveredAlways, cutComponent, receiptComponent]
      .map(textOfComponent)
      .map((component) => [`\`${component}\``, whatItProves[component] ?? '']),
  },
  {
    text: `The parameter \`created\` is the time of the response, and \`tag\` is \`${signatureTag}\`. The host is not covered, because the key identifies the service. \`Age\` and the other headers are not covered.`,
  },
  { heading: 'Which responses are signed', level: 2 },
  {
    text: 'Answers that you paid for, and responses that say what became of a payment: a payment that was verified and not charged (400, 404 or 503), a settlement that was refused (402), an outcome that is not known yet (503). Quotes, other refusals, internal errors and free routes are not signed. A paid route answers `HEAD` with a quote.',
  },
  {
    text: 'If you send the payment again, you get the same body and the same cut, with a new signature. Both signatures are valid. Results over MCP are not HTTP messages, so they have no signature. To get one, send the same payment to the route over HTTP. This costs nothing more.',
  },
  { heading: 'Keys', level: 2 },
  {
    text: `[${keyDirectoryPath}](${keyDirectoryPath}) has the public keys as JSON Web Keys. \`kid\` is the thumbprint (RFC 7638), and signatures name it as \`keyid\`. The key signed only from \`nbf\` to \`exp\`. The keys of old answers stay published. A new key is published some minutes before it signs.`,
  },
  { heading: 'How to verify', level: 2 },
  {
    ...{ summary: 'TypeScript: verify an answer (npm install http-message-sig)', language: 'ts', isOpen: true },
    code: verifyCode,
  },
  {
    ...{ summary: 'Command line: save an answer and verify it', language: 'sh', isOpen: true },
    code: `curl -i -H "Accept-Signature: sig1=()" -H "PAYMENT-SIGNATURE: $PAYMENT" "${publicBaseUrl}/v1/rh/bursts/live?minutes=5" > answer.http
npx launch-data verify-answer answer.http --url "${publicBaseUrl}/v1/rh/bursts/live?minutes=5"`,
  },
]

/** Returns the page and its Markdown twin. */
export const createSignedAnswersPages = (publicBaseUrl: string): readonly Page[] => [
  {
    patterns: [signedAnswersPath],
    body: async () =>
      renderPage(
        'Signed answers: Launch Data Service',
        html`<p><a href="/docs">Launch Data Service</a></p><h1>Signed answers</h1>
${htmlOf(blocksOf(publicBaseUrl))}<p>This page as <a href="${signedAnswersPath}.md">Markdown</a></p>`,
      ),
  },
  {
    patterns: [`${signedAnswersPath}.md`],
    type: 'markdown',
    body: async () => `# Signed answers\n\n${markdownOf(blocksOf(publicBaseUrl), publicBaseUrl)}`,
  },
]
