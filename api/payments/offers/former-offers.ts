/**
 * Offers of the last minutes. What is offered changes while a client signs: a facilitator pays the fees of Solana from another
 * account whenever it is asked. The client's payment is for the offer that it was shown.
 */
export type FormerOffers<Offer> = Readonly<{
  /** Shown to a client just now. */
  note: (priceUsdMicros: number, offer: Offer) => void
  /** The latest first. */
  of: (priceUsdMicros: number) => readonly Offer[]
}>

/** Longer than a client may take to sign. */
const keptMs = 300_000
/** With six prices and a question each 15 s there are 120 in that time. */
const keptMax = 256

type Shown<Offer> = Readonly<{ offer: Offer; priceUsdMicros: number; atMs: number }>

export function createFormerOffers<Offer extends Readonly<{ text: string }>>(nowMs: () => number): FormerOffers<Offer> {
  /** By price and text, in the order in which they were last shown. */
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
