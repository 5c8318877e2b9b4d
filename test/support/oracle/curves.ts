/**
 * Computes the state of tokens on launchpad curves. The events come from the logs, and the reserves come from
 * the contract's state.
 */
import assert from 'node:assert/strict'
import type { AskNode, RawLog, Recording } from './recording.ts'
import { lastBlockShown } from './shown.ts'

type CurveEvent = Readonly<{
  kind: 'launched' | 'bought' | 'sold' | 'completed' | 'graduated'
  block: number
  atMs: number
  /** The fee and tax of a buy together, in basis points of the amount paid. */
  feeBps: number | null
}>

/** The state of the contracts at the end of a block. */
type CurveState = Readonly<{
  block: number
  symbol: string
  phantomWei: bigint
  graduationWei: bigint
  reserveWei: bigint
  isFull: boolean
}>

export type RecordedCurve = Readonly<{
  curve: string
  token: string
  creator: string
  isAgainstEth: boolean
  events: readonly CurveEvent[]
  states: readonly CurveState[]
}>

export type OracleCurve = Readonly<{
  curve: string
  graduated: boolean
  symbol: string
  creator: string
  launchBlock: number | null
  launchAtMs: number
  thresholdEth: number
  ethInCurve: number
  progress: number
  mcapEth: number
  feeBps: number | null
  readBlock: number
  checkedAtMs: number
}>

const topics = {
  launched: '0x8d4aad4953d0ca700d468f3753aa14432d1b35b43ec6409f051fb6aa43a89607',
  graduated: '0x0a44ef75df69c534f43cd6c1aa3ef8983065fe5fe79ef9e79f6494e6f258c259',
  bought: '0xec36bf571f136799e8dc0b0b8bea4b04d8bd3d43de838aab0d5fc21d4cbfc455',
  sold: '0x8113d738abdcb6b38357e9d53a54a7157861a09031b453651f0fe7fe151f59df',
  completed: '0xf8d37a90738ae063b8b8058b66f5880cf3cf7ab0c5d4fa78219696591dfbfb67',
} as const

const addressIn = (topic: string | undefined): string => `0x${(topic ?? '').slice(-40)}`
const numberAt = (data: string, index: number): bigint => BigInt(`0x${data.slice(2 + index * 64, 66 + index * 64)}`)

/** Returns all curves that the factory launched. */
export async function recordCurves(
  ask: AskNode,
  { logs }: Recording,
  factory: string,
): Promise<readonly RecordedCurve[]> {
  const isFrom = (log: RawLog, address: string) => log.address.toLowerCase() === address.toLowerCase()
  const launches = logs.filter((log) => isFrom(log, factory) && log.topics[0] === topics.launched)
  const curves: RecordedCurve[] = []
  for (const launch of launches) {
    const [token, curve, creator] = launch.topics.slice(1).map(addressIn) as [string, string, string]
    const isOfToken = (log: RawLog) => isFrom(log, factory) && addressIn(log.topics[1]) === token
    const events = logs.filter((log) => isFrom(log, curve) || isOfToken(log)).flatMap((log) => eventOf(log) ?? [])
    const blocks = [...new Set(events.map(({ block }) => block))]
    const states = await Promise.all(blocks.map((block) => readState(ask, { token, curve }, block)))
    curves.push({ curve, token, creator, isAgainstEth: numberAt(launch.data, 0) === 0n, events, states })
  }
  return curves
}

function eventOf(log: RawLog): CurveEvent | null {
  const kind = (Object.keys(topics) as (keyof typeof topics)[]).find((name) => topics[name] === log.topics[0])
  if (kind === undefined) return null
  const place = { kind, block: Number(log.blockNumber), atMs: Number(log.blockTimestamp) * 1000 }
  if (kind !== 'bought') return { ...place, feeBps: null }
  const [paid, fee, tax] = [0, 2, 3].map((index) => numberAt(log.data, index)) as [bigint, bigint, bigint]
  return { ...place, feeBps: Math.round(Number(((fee + tax) * 100_000_000n) / paid) / 10_000) }
}

async function readState(
  ask: AskNode,
  { token, curve }: Pick<RecordedCurve, 'token' | 'curve'>,
  block: number,
): Promise<CurveState> {
  const call = async (to: string, data: string) =>
    (await ask('eth_call', [{ to, data }, `0x${block.toString(16)}`])) as string
  const [phantom, graduation, reserve, full, symbol] = await Promise.all([
    call(curve, '0xc57eadfc'),
    call(curve, '0x8b0bc501'),
    call(curve, '0x4f1f58fd'),
    call(curve, '0xe7c2b772'),
    call(token, '0x95d89b41'),
  ])
  const bytes = Buffer.from(symbol.slice(130), 'hex').subarray(0, Number(numberAt(symbol, 1)))
  return {
    ...{ block, symbol: bytes.toString('utf8') },
    ...{ phantomWei: BigInt(phantom), graduationWei: BigInt(graduation) },
    ...{ reserveWei: BigInt(reserve), isFull: BigInt(full) === 1n },
  }
}

const feeCountMax = 30

/**
 * Returns the state of a curve. Returns null if the curve does not trade against ETH, has graduated, or is
 * not launched yet. A curve that was launched before `logBeginsAtMs` is known from its next event on. Its
 * reserve before that event is included.
 */
export function curveAt(
  recorded: RecordedCurve,
  { blockAtMs, logBeginsAtMs }: Readonly<{ blockAtMs: number; logBeginsAtMs: number }>,
): OracleCurve | null {
  const past = recorded.events.filter(({ atMs }) => atMs <= blockAtMs)
  const [launch] = past
  if (launch === undefined || !recorded.isAgainstEth || past.some(({ kind }) => kind === 'graduated')) return null
  const inLog = past.filter(({ atMs }) => atMs >= logBeginsAtMs)
  const isFound = launch.atMs < logBeginsAtMs
  const atOnce = inLog.filter(({ kind }) => kind === 'launched' || kind === 'completed').map(({ block }) => block)
  const pacing = { nowMs: blockAtMs, endsWithMinute: false, isUrgent: (block: number) => atOnce.includes(block) }
  const lastBlock = lastBlockShown(inLog, pacing)
  const shown = inLog.filter(({ block }) => block <= lastBlock)
  const newest = shown.at(-1)
  const state = recorded.states.find(({ block }) => block === newest?.block)
  if (newest === undefined) return null
  assert(state)
  const buys = shown.filter(({ kind }) => kind === 'bought')
  const x = Number(state.phantomWei + state.reserveWei) / 1e18
  return {
    curve: recorded.curve,
    graduated: state.isFull,
    symbol: state.symbol,
    creator: recorded.creator,
    launchBlock: isFound ? null : launch.block,
    launchAtMs: launch.atMs,
    thresholdEth: Number(state.graduationWei) / 1e18,
    ethInCurve: Number(state.reserveWei) / 1e18,
    progress: Math.min(1, Number(state.reserveWei) / Number(state.graduationWei)),
    // The market capitalization is the price times the supply. The price is x / y with y = phantom * supply /
    // x.
    mcapEth: (x * x) / (Number(state.phantomWei) / 1e18),
    feeBps: median(buys.slice(-feeCountMax).flatMap(({ feeBps }) => feeBps ?? [])),
    readBlock: newest.block,
    checkedAtMs: newest.atMs,
  }
}

/** Returns the middle value. With an even number of values, it is the rounded mean of the two middle values. */
function median(values: readonly number[]): number | null {
  const sorted = [...values].sort((one, other) => one - other)
  const middle = (sorted.length - 1) / 2
  const [low, high] = [sorted[Math.floor(middle)], sorted[Math.ceil(middle)]]
  return low === undefined || high === undefined ? null : Math.round((low + high) / 2)
}
