/**
 * Stores the facilitator's answer to `getSupported` on disk. With this answer, the service can offer payments
 * even if it starts while the facilitator is down. The stored answer is used only for the first request after
 * the start.
 */

import { mkdir, readFile, rename, writeFile } from 'node:fs/promises'
import { dirname, join } from 'node:path'
import { setTimeout as sleep } from 'node:timers/promises'
import type { FacilitatorClient } from '@x402/core/server'
import { FacilitatorTimeoutError, type SupportedResponse } from '@x402/core/types'
import { z } from 'zod'
import type { Logger } from '../../../infra/telemetry.ts'
import { dayMs, type EpochMs, hourMs } from '../../../schemas/units.ts'

export type SupportedStore = Readonly<{
  /** Returns null if no answer is stored, or if the stored answer is too old. */
  read: () => Promise<SupportedResponse | null>
  write: (supported: SupportedResponse) => Promise<void>
}>

/** The maximum age of a stored answer. An older answer may name a fee payer or a network that no longer exists. */
const keptMsMax = dayMs

const keptSchema = z.object({
  atMs: z.number(),
  supported: z.looseObject({ kinds: z.array(z.looseObject({})), extensions: z.array(z.string()) }),
})

/** `id`: the name of the facilitator's file. */
export function createSupportedStore(dataDir: string, id: string, nowMs: () => EpochMs): SupportedStore {
  const file = join(dataDir, 'facilitators', `${id}.json`)
  return {
    read: async () => {
      const text = await readFile(file, 'utf8').catch((error: NodeJS.ErrnoException) => {
        if (error.code === 'ENOENT') return null
        throw error
      })
      const kept = keptSchema.safeParse(text === null ? null : parse(text))
      if (!kept.success || Math.abs(nowMs() - kept.data.atMs) > keptMsMax) return null
      return kept.data.supported as unknown as SupportedResponse
    },
    write: async (supported) => {
      await mkdir(dirname(file), { recursive: true })
      // The rename is atomic, so a crash leaves either the old answer or the new one.
      await writeFile(`${file}.new`, JSON.stringify({ atMs: nowMs(), supported }))
      await rename(`${file}.new`, file)
    },
  }
}

function parse(text: string): unknown {
  try {
    return JSON.parse(text)
  } catch {
    return null
  }
}

/** The interval, in ms, at which an unchanged answer is written again. Each write resets the age of the stored answer. */
const writeEveryMs = hourMs

type Remembering = Readonly<{
  nowMs: () => EpochMs
  logger: Pick<Logger, 'warn'>
  /** Resolves when the wait for the first answer ends. Default: after four seconds. */
  untilLate?: () => Promise<void>
}>

/** The maximum time that the start of the service waits for the first answer, in ms. */
const lateMs = 4_000

/** Wraps a facilitator. If the first call of `getSupported` gets no answer, the answer that an earlier run stored is used. */
export function rememberSupported(
  facilitator: FacilitatorClient,
  store: SupportedStore,
  { nowMs, logger, untilLate = () => sleep(lateMs, undefined, { ref: false }) }: Remembering,
): FacilitatorClient {
  let written: Readonly<{ text: string; atMs: EpochMs }> | null = null
  let isFirst = true

  const keep = async (supported: SupportedResponse): Promise<void> => {
    const text = JSON.stringify(supported)
    if (supported.kinds.length === 0 || (written?.text === text && nowMs() - written.atMs < writeEveryMs)) return
    const atMs = nowMs()
    await store.write(supported).then(
      () => {
        written = { text, atMs }
      },
      (error) =>
        logger.warn(
          { err: error },
          'the service could not store which payments a facilitator supports. The next start has to ask the facilitator',
        ),
    )
  }
  const failLate = async (): Promise<never> => {
    await untilLate()
    throw new FacilitatorTimeoutError('supported', lateMs)
  }
  return {
    verify: (payload, requirements) => facilitator.verify(payload, requirements),
    settle: (payload, requirements) => facilitator.settle(payload, requirements),
    getSupported: async () => {
      const isFallenBack = isFirst
      isFirst = false
      try {
        const request = facilitator.getSupported()
        const supported = await (isFallenBack ? Promise.race([request, failLate()]) : request)
        await keep(supported)
        return supported
      } catch (error) {
        const kept = isFallenBack ? await store.read().catch(() => null) : null
        if (kept === null) throw error
        logger.warn(
          { err: error },
          'a facilitator did not answer which payments it supports. The service uses the last stored answer until the facilitator answers',
        )
        return kept
      }
    },
  }
}
