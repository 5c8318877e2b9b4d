/** Addresses that appear in many posts and are never the token of a post. */

/** Addresses of chain B in base58. */
const chainBAddresses: readonly string[] = [
  // Coins that tokens are traded against: two spellings of wrapped SOL, USDC and USDT.
  'So11111111111111111111111111111111111111112',
  'So11111111111111111111111111111111111111111',
  'EPjFWdd5AufqSSqeM2qN1xzybapC8G4wEGGkZwyTDt1v',
  'Es9vMFrzaCERmJfrF4H2FYD4KCoNky11McCe8BenwNYB',
  // Staked SOL: Marinade, Jito.
  'mSoLzYCxHdYgdzU16g5QSh3i5K3z3KZK7ytfqcJm7So',
  'J1toso1uCk3RLmjorhTtrVwY9HJ7X8V9yYac6Y7kGCPn',
  // Programs: token, token 2022, associated token, metadata, pump, PumpSwap, Raydium, Jupiter.
  'TokenkegQfeZyiNwAJbNbGKPFXCWuBvf9Ss623VQ5DA',
  'TokenzQdBNbLqP5VEhdkAS6EPFLC1PHnBqCXEpPxuEb',
  'ATokenGPvbdGVxr1b2hvZbsiqW5xWH25efTNsLJA8knL',
  'metaqbxxUerdq28cj1RbAWkYQm3ybzjb6a8bt518x1s',
  '6EF8rrecthR5Dkzon8Nwu78hRvfCKubJ14M5uBEwF6P',
  'pAMMBay6oceH9fJKBRHGP5D4bD4sWpmSwMn52FMfXEA',
  'Ce6TQqeHC9p8KetsN6JsjHK7UTZk7nasjjnr7XxXp9F1',
  'GS4CU59F31iL7aR2Q8zVS8DRrcRnXX1yjQ66TqNVQnaR',
  '675kPX9MHTjS2zt1qfr1NYHuzeLXfQM9H24wFSUt1Mp8',
  'JUP6LkbZbjS1jKKwapdHNy74zcZ3tLUZoi5QNyVTaV4',
  // Authorities that hold the tokens of Raydium's and Meteora's pools, and the burn address.
  '5Q544fKrFoe6tsEbD7S8EmxGTJYAKtTVhAW5Q5pge4j1',
  'HLnpSz9h2S4hiLQ43rnSD9XkcUThA7B8hQMKmDaiTLcC',
  '1nc1nerator11111111111111111111111111111111',
]

/** EVM addresses in lower case. */
const evmAddresses: readonly string[] = [
  // The placeholder of the native coin, and burn addresses.
  '0xeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeeee',
  '0x000000000000000000000000000000000000dead',
  '0xdead000000000000000042069420694206942069',
  // Wrapped ETH on the chain of the preset `robinhood`, on mainnet, on chains of the OP stack and on Arbitrum. Wrapped
  // BNB.
  '0x0bd7d308f8e1639fab988df18a8011f41eacad73',
  '0xc02aaa39b223fe8d0a0e5c4f27ead9083c756cc2',
  '0x4200000000000000000000000000000000000006',
  '0x82af49447d8a07e3bd95bd0d56f35241523fbab1',
  '0xbb4cdb9cbd36b01bd1cbaebf2de08d9173bc095c',
  // USDC and USDT of mainnet, USDC of Base.
  '0xa0b86991c6218b36c1d19d4a2e9eb0ce3606eb48',
  '0xdac17f958d2ee523a2206206994597c13d831ec7',
  '0x833589fcd6edb6e08f4c7c32d4f71b54bda02913',
  // Permit2, and the router of Uniswap v2.
  '0x000000000022d473030f116ddee9f6b43ac78ba3',
  '0x7a250d5630b4cf539739df2c5dacb4c659f2488d',
  // The Uniswap v4 pool managers and position managers of the networks that this service has presets for.
  '0x8366a39cc670b4001a1121b8f6a443a643e40951',
  '0x58daec3116aae6d93017baaea7749052e8a04fa7',
  '0x498581ff718922c3f8e6a244956af099b2652b2b',
  '0x7c5f5a4bbd8fd63184577525326123b519429bdc',
  '0x000000000004444c5dc75cb358380d2e3de08a90',
  '0xbd216513d74c8cf14cf4747e6aaa6420ff64ee9e',
]

export const wellKnownAddresses: ReadonlySet<string> = new Set([...chainBAddresses, ...evmAddresses])

/**
 * Whether the address is a native program or a system account, such as the system program and the clock. Such
 * an address ends with many digits 1.
 */
const isNativeProgram = (address: string): boolean => /1{6}$/.test(address)
/** Whether the address is the zero address or a precompiled contract, which every EVM chain has. */
const isBuiltIn = (address: string): boolean => /^0x0{36}/.test(address)

/**
 * Whether posts contain this address only as an aid, never as the token that they recommend. `address` is
 * base58, or hex in lower case.
 */
export const isWellKnown = (address: string): boolean =>
  wellKnownAddresses.has(address) || isNativeProgram(address) || isBuiltIn(address)
