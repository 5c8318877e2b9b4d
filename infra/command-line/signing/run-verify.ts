/** `launch-data verify-answer`: verifies a saved answer, and prints what its signature proves. */
import { keyDirectoryPath } from '../../../schemas/signed-answers.ts'
import { OperationError } from '../../errors.ts'
import { readAtMost } from './read-at-most.ts'
import { readKeys } from './read-keys.ts'
import { readSavedAnswer, type SavedAnswer, savedBytesMax } from './saved-answer.ts'
import { timeOf, type Verified, verifyAnswer } from './verify-answer.ts'

type VerifyOptions = Readonly<{ url: string; keys?: string }>

type Running = Readonly<{ signal: AbortSignal; print: (text: string) => void }>

/** Returns false if the answer is not the one that the service signed for this URL. */
export async function runVerifyAnswer(
  file: string,
  options: VerifyOptions,
  { signal, print }: Running,
): Promise<boolean> {
  const url = urlOf(options.url)
  const answer = readSavedAnswer(await readAtMost(file, savedBytesMax), file)
  const keys = await readKeys(options.keys ?? new URL(keyDirectoryPath, url).href, signal)
  const verified = await verifyAnswer({ answer, url, keys, nowSec: Math.floor(Date.now() / 1000) })
  print('fault' in verified ? `WRONG  ${verified.fault}\n` : textOf(verified, { answer, url }))
  return !('fault' in verified)
}

function urlOf(text: string): URL {
  const url = URL.canParse(text) ? new URL(text) : null
  if (url === null || !/^https?:$/.test(url.protocol))
    throw new OperationError(
      'config_invalid',
      '--url must be the whole URL of the request, such as "https://data.example/v1/rh/bursts/live?minutes=5"',
    )
  url.hash = ''
  return url
}

/** Only what the signature covers is printed. */
function textOf(verified: Verified, { answer, url }: Readonly<{ answer: SavedAnswer; url: URL }>): string {
  const { keyId, createdSec, nonce, covered, cutAtMs, bodySha256 } = verified
  const lines: readonly (readonly [string, string])[] = [
    ['route', `GET ${url.pathname}`],
    ['parameters', url.search.slice(1) || 'none'],
    ['status', String(answer.status)],
    ['cut', cutAtMs === null ? 'none: a refusal has no cut' : `${new Date(cutAtMs).toISOString()} (${cutAtMs})`],
    ['body', `${answer.body.length} bytes, SHA-256 ${bodySha256}`],
    ['signed at', timeOf(createdSec)],
    ['key', keyId],
    ...(nonce === null ? [] : [['nonce', nonce] as const]),
    ['covered', covered.join(' ')],
  ]
  return [
    'OK  the service signed this answer for this request',
    ...lines.map(([name, text]) => `  ${name.padEnd(12)}${text}`),
  ]
    .join('\n')
    .concat('\n')
}
