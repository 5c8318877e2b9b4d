// Loads the large packages of a program before the TypeScript loader is registered. Later modules pass through the
// loader's thread, which takes five times as long. Other packages are loaded when they are imported.

const zod = () => import('zod')
const viem = () => import('viem')
const payments = () =>
  Promise.all([import('@x402/core/server'), import('@x402/core/http'), import('@x402/evm/exact/server')])

/** For the simulated market, which also takes payments on Solana. */
const solana = () =>
  Promise.all([import('@solana/kit'), import('@x402/svm/exact/server'), import('@x402/svm/exact/facilitator')])

/** Packages by program. Programs that are not listed start quickly. */
const packages = {
  up: [zod, viem, payments, solana],
  serve: [zod, viem, payments],
  ingest: [zod, viem],
  process: [zod],
  project: [zod],
}

/** @param {string | undefined} program */
export async function loadPackages(program) {
  await Promise.all((packages[program] ?? []).map((load) => load()))
}
