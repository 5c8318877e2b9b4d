/**
 * The limits of a buyer, and the spending that counts toward them. A purchase counts toward the UTC day on which it
 * was signed, from before it is signed until it is known that it was not charged.
 */
import { OperationError } from '../../infra/errors.ts'
import { dayMs, type EpochMs } from '../../schemas/units.ts'
import type { OpenPurchase, SpendingStore } from './spending-store.ts'
import { usdcOf } from './usdc.ts'

type Limits = Readonly<{ perCallUsdMicros: number; perDayUsdMicros: number }>

export type Spent = Readonly<{
  /** The UTC day: 2026-11-28. */
  day: string
  settledUsdc: number
  /** The amount of today's purchases that may have been charged and have no answer yet. */
  atRiskUsdc: number
}>

export type Budget = Readonly<{
  /** Takes the price from the limits before it is signed. Throws `spend_limit` if it does not fit. */
  reserve(usdMicros: number): Reservation
  /** The purchases without an answer. */
  open(): readonly OpenPurchase[]
  find(name: string): OpenPurchase | undefined
  /**
   * Ends an open purchase. `isCharged`: whether it still counts toward its day. `passToken`: the pass that it bought. The
   * same write keeps it, so that a crash cannot lose a paid pass.
   */
  end(name: string, outcome: Readonly<{ isCharged: boolean; passToken?: string | null }>): Promise<void>
  payTo(): string | null
  passToken(): string | null
  keepPass(token: string | null): Promise<void>
  spent(): Spent
  close(): Promise<void>
}>

type Reservation = Readonly<{
  /** Writes the signed purchase to the store. Only after that may the payment be sent. */
  sign(purchase: OpenPurchase, payTo: string): Promise<void>
  /** Gives the amount back. Must be called if the purchase was not signed. */
  cancel(): void
}>

/** The service owes an answer for a day and then forgets the payment, so an older purchase cannot be resumed. */
const openMsMax = 2 * dayMs

/** The maximum number of open purchases. They are written with every purchase. */
const openMax = 1_000

type Options = Readonly<{ store: SpendingStore; limits: Limits; nowMs: () => EpochMs }>

export async function openBudget({ store, limits, nowMs }: Options): Promise<Budget> {
  const kept = await store.load()
  const budget = { payTo: kept?.payTo ?? null, passToken: kept?.passToken ?? null }
  const counted = { day: kept?.day ?? '', usdMicros: kept?.spentUsdMicros ?? 0 }
  const open = new Map((kept?.open ?? []).map((purchase) => [purchase.name, purchase]))
  const reserved = new Set<Readonly<{ usdMicros: number }>>()

  const begin = () => {
    const day = dayOf(nowMs())
    if (day !== counted.day) Object.assign(counted, { day, usdMicros: 0 })
    for (const { name, signedAtMs } of open.values()) if (signedAtMs < nowMs() - openMsMax) open.delete(name)
    return day
  }
  const atRisk = (day: string) =>
    sumOf([...open.values()].filter(({ signedAtMs }) => dayOf(signedAtMs) === day)) + sumOf([...reserved])
  const saving = inTurn(() =>
    store.save({ ...budget, day: counted.day, spentUsdMicros: counted.usdMicros, open: [...open.values()] }),
  )

  return {
    reserve(usdMicros) {
      const day = begin()
      refuseAbove(limits, { usdMicros, ofDay: counted.usdMicros + atRisk(day), openCount: open.size + reserved.size })
      const reservation = { usdMicros }
      reserved.add(reservation)
      return {
        async sign(purchase, payTo) {
          open.set(purchase.name, purchase)
          reserved.delete(reservation)
          budget.payTo = payTo
          try {
            await saving.run()
          } catch (error) {
            open.delete(purchase.name)
            throw error
          }
        },
        cancel: () => void reserved.delete(reservation),
      }
    },
    open: () => [...open.values()],
    find: (name) => open.get(name),
    async end(name, { isCharged, passToken = null }) {
      const purchase = open.get(name)
      if (purchase === undefined) return
      open.delete(name)
      if (passToken !== null) budget.passToken = passToken
      if (isCharged && dayOf(purchase.signedAtMs) === begin()) counted.usdMicros += purchase.usdMicros
      await saving.run()
    },
    payTo: () => budget.payTo,
    passToken: () => budget.passToken,
    async keepPass(token) {
      budget.passToken = token
      await saving.run()
    },
    spent() {
      const day = begin()
      return { day, settledUsdc: usdcOf(counted.usdMicros), atRiskUsdc: usdcOf(atRisk(day)) }
    },
    async close() {
      await saving.idle()
      await store.close()
    },
  }
}

type Wanted = Readonly<{ usdMicros: number; ofDay: number; openCount: number }>

function refuseAbove({ perCallUsdMicros, perDayUsdMicros }: Limits, { usdMicros, ofDay, openCount }: Wanted): void {
  const price = `the price is ${usdcOf(usdMicros)} USDC`
  if (usdMicros > perCallUsdMicros)
    throw limit(`${price}, and the limit of one call is ${usdcOf(perCallUsdMicros)} USDC`)
  if (ofDay + usdMicros > perDayUsdMicros)
    throw limit(
      `${price}, and ${usdcOf(perDayUsdMicros - ofDay)} USDC are left of the ${usdcOf(perDayUsdMicros)} USDC of this UTC day`,
    )
  if (openCount >= openMax) throw limit(`${openCount} purchases have no answer yet. Resume them first`)
}

const limit = (message: string): OperationError => new OperationError('spend_limit', `${message}. Nothing was signed`)

const dayOf = (atMs: EpochMs): string => new Date(atMs).toISOString().slice(0, 10)

const sumOf = (amounts: readonly Readonly<{ usdMicros: number }>[]): number =>
  amounts.reduce((sum, { usdMicros }) => sum + usdMicros, 0)

/** Runs the work one call after the other. Each call runs, also after a failed one. `idle` waits for the last one. */
function inTurn(work: () => Promise<void>) {
  let last = Promise.resolve()
  const idle = () => last.catch(() => {})
  return {
    idle,
    run: (): Promise<void> => {
      last = idle().then(work)
      return last
    },
  }
}
