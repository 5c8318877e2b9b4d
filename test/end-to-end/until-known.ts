import { setTimeout as sleep } from 'node:timers/promises'
import { expect } from 'chai'
import type { Service } from '../support/service.ts'
import { blockAtMsOf } from './buy-answers.ts'

type Health = Readonly<{ data: Readonly<{ generatedAt: number; ageSec: number }> | null }>

/** Waits until the service's answers are based on a block at or after `atMs`. */
export async function untilKnown({ baseUrl }: Service, atMs: number, limitMs = 240_000): Promise<void> {
  const endAtMs = Date.now() + limitMs
  for (;;) {
    const health = (await (await fetch(`${baseUrl}/health`)).json()) as Health
    const { data } = health
    if (typeof data?.generatedAt === 'number' && blockAtMsOf(data) >= atMs) return
    if (Date.now() > endAtMs) expect.fail(`not known in ${limitMs} ms: ${JSON.stringify(health)}`)
    await sleep(250)
  }
}
