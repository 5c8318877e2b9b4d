/**
 * Scripts the trade history of a simulated mint. A few minutes of trading are followed by pumps with all
 * possible endings.
 */
import type { Draw } from '../../replay/market/draw.ts'
import { buildHash } from '../builders/build-facts.ts'
import { buildKey } from './build-facts.ts'
import { ScriptedCurve, type ScriptedFact, slotsPerSec } from './scripted-curve.ts'

const hourSec = 3600
const kinds = [
  'plain',
  'climbs',
  'plain',
  'bends',
  'mayhem',
  'other coin',
  'found',
  'odd terms',
  'back',
  'deep',
] as const
type Kind = (typeof kinds)[number]

/**
 * `index` gives the addresses, and `kindIndex` gives the kind of history. The mint is launched in one of the
 * first `bornWithin` slots.
 */
export type LifeOptions = Readonly<{ index: number; kindIndex: number; bornWithin?: number }>

export const curveLifeOf = (draw: Draw, options: LifeOptions): readonly ScriptedFact[] => new Life(draw, options).live()

/**
 * The virtual reserves in SOL of unusual curves. With other virtual reserves, the same SOL moves the price
 * more or less. A deep curve is a quarter full with ten SOL.
 */
const virtualSolOf: Partial<Record<Kind, bigint>> = { 'odd terms': 20n, deep: 50n }

class Life {
  readonly #draw: Draw
  readonly #kind: Kind
  readonly #curve: ScriptedCurve
  readonly #launchSlot: number
  #slot: number

  constructor(draw: Draw, { index, kindIndex, bornWithin = 1500 }: LifeOptions) {
    this.#draw = draw
    const kind = kinds[kindIndex % kinds.length] ?? 'plain'
    this.#kind = kind
    this.#launchSlot = 10 + draw(bornWithin)
    this.#slot = this.#launchSlot
    const quoteMint = this.#kind === 'other coin' ? buildHash(0xc01) : null
    const addresses = { curve: buildKey(0x1000 + index), pool: buildKey(0x2000 + index) }
    const terms = { ...addresses, quoteMint, isMayhem: this.#kind === 'mayhem' }
    const virtualQuoteRaw = (virtualSolOf[kind] ?? 30n) * 1_000_000_000n
    this.#curve = new ScriptedCurve({ ...terms, virtualQuoteRaw }, buildKey(0x3000 + index))
  }

  live(): readonly ScriptedFact[] {
    const curve = this.#curve
    if (this.#kind !== 'found') curve.launch(this.#slot)
    this.#reach(2 + this.#draw(5), 30 + this.#draw(300))
    if (this.#kind === 'found') this.#findNow()
    const endSlot = this.#launchSlot + 4.2 * hourSec * slotsPerSec
    while (!curve.isComplete && this.#slot < endSlot) this.#cycle()
    if (!curve.isComplete && this.#kind === 'back') this.#comeBack()
    if (curve.isComplete) this.#graduate()
    return curve.facts
  }

  /**
   * Makes the log begin at the current slot, with a curve that already exists. Earlier facts are removed, and
   * ingest finds the curve.
   */
  #findNow(): void {
    this.#curve.facts.length = 0
    const launchSlot = this.#draw(4) === 0 ? null : this.#launchSlot
    this.#curve.find(this.#slot, { launchSlot, supplyRaw: this.#draw(3) === 0 ? null : 10n ** 15n })
    this.#curve.buy(this.#slot, 0.1, this.#wallet())
  }

  /** Leaves the curve without trades for a day. Then ingest finds the curve again. */
  #comeBack(): void {
    this.#wait(24 * hourSec + this.#draw(3))
    this.#curve.find(this.#slot, { launchSlot: this.#launchSlot, supplyRaw: 10n ** 15n })
    this.#curve.buy(this.#slot, 0.5, this.#wallet())
    while (!this.#curve.isComplete) this.#trade(3 + this.#draw(4))
  }

  #cycle(): void {
    this.#reach(this.#kind === 'deep' ? 0.05 : 5 + this.#draw(5), 40 + this.#draw(60))
    this.#wait(this.#draw(50))
    this.#pump()
    const endings = [this.#fade, this.#rest, this.#climb, this.#crash, this.#seesaw, this.#trickle]
    const ending = this.#kind === 'climbs' ? this.#climb : (endings[this.#draw(endings.length)] ?? this.#rest)
    ending.call(this)
    if (this.#kind === 'bends' && this.#draw(3) === 0) this.#curve.bend(1 + this.#draw(3))
    if (!this.#curve.isComplete) this.#wait(this.#draw(20) * 60)
  }

  /** Trades until the curve holds about `sol` SOL. */
  #reach(sol: number, seconds: number): void {
    for (let step = 0; step < 12; step++) {
      const missing = sol - this.#curve.sol
      this.#trade(Math.abs(missing) > 1 ? missing / 3 : 0.3 - this.#draw(6) / 10)
      this.#wait(seconds / 12)
    }
  }

  /**
   * Buys for a little more than ten SOL within a minute. Some buys are in the same slot, some have equal
   * sizes, and a few sells are mixed in.
   */
  #pump(): void {
    const size = 0.5 + this.#draw(6) / 4
    for (let paid = 0; paid < 11 && !this.#curve.isComplete; ) {
      const bought = this.#kind === 'deep' ? 0.3 : this.#draw(3) === 0 ? size : size + this.#draw(100) / 200
      this.#trade(bought)
      paid += bought
      if (this.#draw(9) === 0) this.#trade(-0.2)
      if (this.#draw(3) > 0) this.#slot += this.#draw(9)
    }
  }

  #fade(): void {
    for (let step = 0; step < 12; step++) {
      this.#wait(this.#draw(40))
      this.#trade(-this.#draw(15) / 10)
    }
  }

  #rest(): void {
    for (let step = 0; step < 6; step++) {
      this.#wait(this.#draw(300))
      this.#trade(0.01)
    }
  }

  #climb(): void {
    for (let step = 0; step < 60 && !this.#curve.isComplete; step++) {
      this.#wait(this.#draw(30))
      this.#trade(this.#draw(6) === 0 ? -this.#draw(30) / 10 : this.#draw(40) / 10)
    }
  }

  #crash(): void {
    this.#wait(this.#draw(80))
    this.#trade(-8)
    this.#rest()
  }

  #seesaw(): void {
    for (let step = 0; step < 10 && !this.#curve.isComplete; step++) {
      this.#wait(this.#draw(70))
      this.#trade(step % 2 === 0 ? 4 + this.#draw(4) : -this.#draw(6))
    }
  }

  #trickle(): void {
    for (let step = 0; step < 25; step++) {
      this.#wait(this.#draw(59))
      this.#trade(0.05 + this.#draw(10) / 50)
    }
  }

  /**
   * Makes one trade. One in fifty trades is followed by a trade that is missing in the log. The next trade
   * shows the gap, and the missing trade is read late or given up.
   */
  #trade(sol: number): void {
    if (this.#kind === 'mayhem') this.#curve.bend((this.#draw(9) - 4) / 2)
    if (sol > 0) this.#curve.buy(this.#slot, sol, this.#wallet())
    else this.#curve.sell(this.#slot, -sol, this.#wallet())
    if (this.#curve.isComplete || this.#draw(50) > 0) return
    this.#slot += 1
    const next = () => this.#curve.buy(this.#slot, 0.1, this.#wallet())
    this.#curve.miss(this.#slot, { next, isGivenUp: this.#slot % 3 === 0 })
  }

  /**
   * Completes the curve and moves it to a pool. In one of five cases, the last trade is missing. In one of
   * five cases, the completion is missing.
   */
  #graduate(): void {
    const curve = this.#curve
    if (this.#draw(5) === 0) curve.facts.pop()
    if (this.#draw(5) > 0) curve.complete(this.#slot)
    if (this.#draw(2) === 0) curve.poolTrade(this.#slot, 0.01, true)
    this.#wait(this.#draw(3) * this.#draw(60))
    if (this.#draw(6) === 0) return
    curve.migrate(this.#slot)
    const endSlot = this.#slot + 70 * 60 * slotsPerSec
    while (this.#slot < endSlot) {
      curve.poolTrade(this.#slot, (this.#draw(100) - 48) / 1000)
      if (this.#draw(10) === 0) curve.delay(this.#slot)
      this.#wait(this.#draw(150))
    }
  }

  #wait(seconds: number): void {
    this.#slot += Math.round(seconds * slotsPerSec)
  }

  #wallet = () => buildKey(0x9000 + this.#draw(40))
}
