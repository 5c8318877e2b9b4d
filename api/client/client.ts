/**
 * A client for programs that buy answers: live answers, answers of the past, and the stream. It pays with the signer
 * of the caller, keeps to limits, and never pays twice for an answer that was lost on its way.
 */
import type { EpochMs } from '../../schemas/units.ts'
import { answerIn, type Bought, boughtIn } from './answer.ts'
import type { Spent } from './budget.ts'
import { type BuyerOptions, openBuyer } from './open-buyer.ts'
import { createPasses } from './passes.ts'
import { type RequestParams, requestPathOf } from './request-path.ts'
import type { AnswerOf, AskedOf, PaidPath, PastPath } from './routes.ts'
import { readStream } from './stream.ts'
import type { RowOrCorrection, StreamEventName, StreamEvents } from './stream-events.ts'
import { usdcOf } from './usdc.ts'

/** The parameters of a call. They can be left out if none is required. */
type Given<Asked> = Readonly<Record<never, never>> extends Asked ? [params?: Asked] : [params: Asked]

export type StreamOptions<Name extends StreamEventName> = Readonly<{
  /** The names of the events to get. Default: rows and corrections. */
  types?: readonly Name[]
  /** The `cursor` of the last event that was handled. Default: the stream begins with the next event. */
  from?: string
  signal?: AbortSignal
}>

/** An event, and the cursor with which a later stream continues after it. */
type EventOf<Name extends StreamEventName> = {
  [Each in Name]: StreamEvents[Each] & Readonly<{ cursor: string | null }>
}[Name]

export type LaunchDataClient = Readonly<{
  /** Buys the answer of a route. */
  get<Path extends PaidPath>(path: Path, ...given: Given<AskedOf<Path>>): Promise<Bought<AnswerOf<Path>>>
  /** Buys answers as they were at this instant. */
  asOf(atMs: EpochMs): Readonly<{
    get<Path extends PastPath>(
      path: Path,
      ...given: Given<Omit<AskedOf<Path>, 'asOf'>>
    ): Promise<Bought<AnswerOf<Path>>>
  }>
  /** Reads the stream. Buys a pass whenever it needs one, and connects again by itself. */
  stream<Name extends StreamEventName = RowOrCorrection>(
    options?: StreamOptions<Name>,
  ): AsyncGenerator<EventOf<Name>, void>
  /** Asks again for the answer of an open purchase, with the same payment. */
  resume(name: string): Promise<Bought<unknown>>
  /** Returns the purchases that may have been charged and have no answer. */
  open(): readonly Readonly<{ name: string; path: string; priceUsdc: number; signedAtMs: EpochMs }>[]
  spent(): Spent
  /** Ends requests and streams, and releases the file of the spending. */
  close(): Promise<void>
}>

export async function openLaunchDataClient(options: BuyerOptions): Promise<LaunchDataClient> {
  const closing = new AbortController()
  const { buyer, budget, ...reading } = await openBuyer(options, closing.signal)
  const passes = createPasses({ buyer, budget, answerIn })
  const get = async (path: string, params?: RequestParams) => boughtIn(await buyer.buy(requestPathOf(path, params)))
  const client = {
    get,
    asOf: (atMs: EpochMs) => ({ get: (path: string, params?: RequestParams) => get(path, { ...params, asOf: atMs }) }),
    async *stream({ types, from, signal = closing.signal }: StreamOptions<StreamEventName> = {}) {
      const asked = { types: types ?? null, from: from ?? null, signal }
      for await (const { data, cursor } of readStream({ ...reading, passes }, asked)) yield { ...data, cursor }
    },
    resume: async (name: string) => boughtIn(await buyer.resume(name)),
    open: () =>
      budget.open().map(({ name, path, usdMicros, signedAtMs }) => {
        return { name, path, priceUsdc: usdcOf(usdMicros), signedAtMs }
      }),
    spent: budget.spent,
    async close() {
      closing.abort()
      await budget.close()
    },
  }
  // The code handles all routes alike. Their types are those of the routes of the service.
  return client as unknown as LaunchDataClient
}
