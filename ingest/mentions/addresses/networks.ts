/** The names that links use for each network, by our name of it. Our names are those of the presets of chain A. */
const namesOf: Readonly<Record<string, readonly string[]>> = {
  solana: ['solana', 'sol', '1399811149'],
  robinhood: ['robinhood', '4663'],
  ethereum: ['ethereum', 'eth', '1'],
  base: ['base', '8453'],
  bsc: ['bsc', 'bnb', '56'],
  arbitrum: ['arbitrum', 'arb', '42161'],
  unichain: ['unichain', '130'],
}

const networks: ReadonlyMap<string, string> = new Map(
  Object.entries(namesOf).flatMap(([network, names]) => names.map((name) => [name, network])),
)

/** Null if we know no network by this name. */
export const networkNamed = (name: string): string | null => networks.get(name.toLowerCase()) ?? null
