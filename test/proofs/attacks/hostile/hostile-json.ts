/** Hostile bodies that a provider sends instead of the expected JSON. */
import type { ServerResponse } from 'node:http'
import { setTimeout as sleep } from 'node:timers/promises'
import { gzipSync } from 'node:zlib'
import { sendText } from '../../../support/sockets/plain-server.ts'

export type HostileAnswer = (response: ServerResponse) => unknown

const megabyte = 1_048_576
const fill = (part: string, bytes: number): string => part.repeat(Math.floor(bytes / part.length))
const send =
  (text: () => string): HostileAnswer =>
  (response) =>
    response.end(text())

/** Sends a gzip body that expands to a thousand times its size. */
const sendBomb: HostileAnswer = (response) =>
  response.writeHead(200, { 'content-encoding': 'gzip' }).end(gzipSync(Buffer.alloc(256 * megabyte)))

async function drip(response: ServerResponse): Promise<void> {
  while (!response.destroyed) {
    response.write(' ')
    await sleep(100)
  }
}

const pair = '{"baseToken":{"address":"x"},"priceUsd":"1","liquidity":{"usd":1}}'
/**
 * The number of pages that were sent for Helius. With this number, each page names a new token for the next
 * page.
 */
let pages = 0

export const hostileJson: Readonly<Record<string, HostileAnswer>> = {
  'lists nested a million deep': send(() => fill('[', megabyte - 100)),
  'objects nested deep': send(() => fill('{"a":', megabyte - 100)),
  'a result that is nested deep': send(() => `{"result":${'['.repeat(5_000)}${']'.repeat(5_000)}}`),
  'a string of megabytes': send(() => `{"result":"${fill('a', 30 * megabyte)}"}`),
  'thousands of pairs': send(() => `[${Array.from({ length: 15_000 }, () => pair).join()}]`),
  'thousands of small things': send(
    () => `{"result":{"data":[${fill('{},', 3 * megabyte)}{}]},"token":{},"markets":[${fill('{},', 500_000)}{}]}`,
  ),
  'thousands of wrong things': send(
    () =>
      `{"result":{"data":[${fill('1,', 2 * megabyte)}1]},"token":{"mintAuthority":null,"freezeAuthority":null},"risks":[${fill('1,', megabyte)}1],"markets":[${fill('1,', 500_000)}1]}`,
  ),
  'numbers that cannot be': send(
    () => '{"result":{"data":[{"slot":1e999,"signature":"x"}]},"token":{"mintAuthority":1e999},"score":-1e999}',
  ),
  'a prototype': send(
    () => '{"result":{"__proto__":{"data":[]}},"__proto__":{"token":{}},"constructor":{"prototype":{}}}',
  ),
  nothing: send(() => ''),
  null: send(() => 'null'),
  'half an answer': send(() => '{"result":{"data":[{"slot"'),
  'bytes that are no text': (response) => response.end(Buffer.alloc(megabyte, 0xff)),
  'an endless answer': (response) => sendText(response),
  'an endless failure': (response) => sendText(response.writeHead(500)),
  'a quarter of a gigabyte, packed': sendBomb,
  'a byte now and then': drip,
  'a redirect to itself': (response) => response.writeHead(307, { location: '/' }).end(),
  'a shorter answer than it says': (response) =>
    response.writeHead(200, { 'content-length': '1000' }).end('{', () => response.destroy()),
  'pages without end': send(() => `{"result":{"data":[],"paginationToken":"${++pages}"}}`),
}
