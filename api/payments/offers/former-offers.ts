import type { EpochMs } from '../../../schemas/units.ts'

/**
 * Remembers the offers of the last five minutes. An offer can change while a client signs: a facilitator may name a
 * different fee payer for Solana each time it is asked. The client pays for the offer that it was shown.
 */
export type FormerOffers<Offer> = Readonly<{
  /** Notes that an offer was shown to a client. */
  note: (priceUsdMicros: number, offer: Offer) => void
  /** The offers for a price, the latest first. */
  of: (priceUsdMicros: number) => readonly Offer[]
}>

/** Longer than a client may take to sign. */
const keptMs = 300_000
/** Six prices and a question every 15 s give 120 offers within `keptMs`. */
const keptMax = 256

type Shown<Offer> = Readonly<{ offer: Offer; priceUsdMicros: number; atMs: EpochMs }>

export function createFormerOffers<Offer extends Readonly<{ text: string }>>(
  nowMs: () => EpochMs,
): FormerOffers<Offer> {
  /** Keyed by price and text, in the order in which they were last shown. */
  const shown = new Map<string, Shown<Offer>>()
  return {
    note: (priceUsdMicros, offer) => {
      const atMs = nowMs()
      const key = `${priceUsdMicros} ${offer.text}`
      shown.delete(key)
      shown.set(key, { offer, priceUsdMicros, atMs })
      for (const [oldest, { atMs: shownAtMs }] of shown) {
        if (shown.size <= keptMax && atMs - shownAtMs <= keptMs) return
        shown.delete(oldest)
      }
    },
    of: (priceUsdMicros) =>
      [...shown.values()]
        .filter((former) => former.priceUsdMicros === priceUsdMicros && nowMs() - former.atMs <= keptMs)
        .map(({ offer }) => offer)
        .reverse(),
  }
}
