/**
 * Simulated launchpad curves for a load test. Curves are launched at an even rate, and new curves get most of
 * the trades. Some curves are completed and get a pool. Some curves are bought again a day later, and then a
 * `CurveFound` fact comes first, as in ingest. The same seed gives the same curves.
 */
import { isFindDue } from '../../../ingest/chain-a/lives.ts'
import type { TokenFact } from '../../../ingest/chain-a/types.ts'
import { createRandom } from '../../../ingest/simulated/random.ts'
import type { ChainAAddress } from '../../../schemas/chain-a/addresses.ts'
import type { CurveTraded } from '../../../schemas/chain-a/facts.ts'
import type { Hex } from '../../../schemas/units.ts'

export type BlockPosition = Readonly<{
  blockNumber: number
  blockAtMs: number
  blockHash: Hex
  txHash: Hex
  txIndex: number
  logIndex: number
}>

export type SyntheticCurvesOptions = Readonly<{
  seed: number
  curvesPerDay: number
  tradesPerSecond: number
  blockMs: number
  /** Makes the last facts of a completed curve. */
  createPool: (token: Hex, at: BlockPosition) => Told
}>

export type Told = Readonly<{ addresses: readonly ChainAAddress[]; facts: readonly TokenFact[] }>

export type SyntheticCurves = Readonly<{
  /** The facts of a block. `position` returns the next position in the block. */
  tellBlock(position: () => BlockPosition): readonly Told[]
  /** The newest curves that were launched by `atMs`, the newest last. */
  youngestAt(atMs: number, count: number): readonly Hex[]
}>

type Curve = { curve: Hex; token: Hex; reserveWei: bigint; launchBlock: number; launchAtMs: number; seenAtMs: number }

const dayMs = 86_400_000
/** The curves have their own random numbers, so the simulated pools are the same with or without curves. */
const curvesWord = 0xc0
const launchpad = 'pons-v2'
const milliEth = 10n ** 15n
const terms = { launchpad, graduationWei: 4200n * milliEth, phantomWei: 1680n * milliEth, supplyRaw: 10n ** 27n }
const buyShare = 0.6
const walletCount = 5000

export function createSyntheticCurves(options: SyntheticCurvesOptions): SyntheticCurves {
  const { seed, curvesPerDay, blockMs } = options
  const random = createRandom(seed, curvesWord)
  const curves: Curve[] = []
  // Two days of curves are kept, because a curve is found again on its second day.
  const curvesKept = Math.max(1, 2 * curvesPerDay)
  let curvesDue = 0
  let tradesDue = 0
  let curveCount = 0

  const launch = (at: BlockPosition): Told => {
    const { blockNumber: launchBlock, blockAtMs: launchAtMs } = at
    const [token, curve] = [addressOf('c0', seed, ++curveCount), addressOf('cf', seed, curveCount)]
    const born: Curve = { curve, token, reserveWei: 0n, launchBlock, launchAtMs, seenAtMs: launchAtMs }
    curves.push(born)
    if (curves.length > curvesKept * 1.1) curves.splice(0, curves.length - curvesKept)
    const data = { curve, ...terms, ...identityOf(born), ...at }
    return { ...alone(token, { type: 'CurveLaunched', data }), addresses: [bookEntryOf(born)] }
  }

  const trade = (position: () => BlockPosition): readonly Told[] => {
    const traded = curves[curves.length - 1 - Math.floor(curves.length * random.unit() ** 3)]
    const isBuy = random.chance(buyShare)
    const paidWei = BigInt(random.whole(1, 200)) * milliEth
    const fees = { feeWei: paidWei / 100n, taxWei: random.chance(0.5) ? 0n : paidWei / 50n }
    const ethWei = isBuy ? paidWei : -paidWei
    const movedWei = ethWei - fees.feeWei - fees.taxWei
    if (traded === undefined || traded.reserveWei + movedWei < 0n) return []
    const at = position()
    const found = isFindDue(traded.seenAtMs, { blockAtMs: at.blockAtMs, isBuy }) ? [findAgain(traded, at)] : []
    traded.reserveWei += movedWei
    const { curve, token } = traded
    const trader = walletOf(random.whole(0, walletCount))
    const data: CurveTraded = { curve, trader, ethWei, tokenRaw: ethWei * 100_000_000n, ...fees, ...at }
    const told = alone(token, { type: 'CurveTraded', data })
    return [...found, told, ...(traded.reserveWei < terms.graduationWei ? [] : graduate(traded, position))]
  }

  const graduate = (full: Curve, position: () => BlockPosition): readonly Told[] => {
    curves.splice(curves.indexOf(full), 1)
    const { curve, token } = full
    return [
      alone(token, { type: 'CurveCompleted', data: { curve, ...position() } }),
      options.createPool(token, position()),
      alone(token, { type: 'CurveGraduated', data: { curve, positionId: null, ...position() } }),
    ]
  }

  return {
    tellBlock(position) {
      const told: Told[] = []
      for (curvesDue += (curvesPerDay * blockMs) / dayMs; curvesDue >= 1; curvesDue--) told.push(launch(position()))
      for (tradesDue += (options.tradesPerSecond * blockMs) / 1000; tradesDue >= 1; tradesDue--)
        told.push(...trade(position))
      return told
    },
    youngestAt: (atMs, count) =>
      curves
        .filter(({ launchAtMs }) => launchAtMs <= atMs)
        .slice(-count)
        .map(({ token }) => token),
  }
}

const alone = (token: Hex, fact: TokenFact['fact']): Told => ({ addresses: [], facts: [{ key: token, fact }] })

/** Makes the facts of a curve that is found again right before a trade. */
function findAgain(curve: Curve, at: BlockPosition): Told {
  curve.seenAtMs = at.blockAtMs
  const { launchBlock, launchAtMs, reserveWei } = curve
  const known = { curve: curve.curve, ...terms, ...identityOf(curve), launchBlock, launchAtMs, reserveWei }
  return { ...alone(curve.token, { type: 'CurveFound', data: { ...known, ...at } }), addresses: [bookEntryOf(curve)] }
}

const bookEntryOf = ({ curve, token, launchBlock, launchAtMs, seenAtMs }: Curve): ChainAAddress => ({
  type: 'CurveAddress',
  data: { curve, token, launchpad, sinceBlock: launchBlock, seenAtMs, launchBlock, launchAtMs },
})

const identityOf = ({ curve }: Curve) => ({ creator: walletOf(Number.parseInt(curve.slice(-6), 16)), symbol: 'LOAD' })

const addressOf = (kind: string, seed: number, number: number): Hex =>
  `0x${kind}${seed.toString(16).padStart(6, '0')}${number.toString(16).padStart(32, '0')}`
const walletOf = (number: number): Hex => `0x${(1 + (number % walletCount)).toString(16).padStart(40, '0')}`
