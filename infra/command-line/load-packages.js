// Loads the large packages of a program before the TypeScript loader is there. Each module that is loaded after it passes
// through the loader's thread, which takes five times as long. A package that is not named here is loaded when it is imported.

const zod = () => import('zod')
const viem = () => import('viem')
const payments = () =>
  Promise.all([import('@x402/core/server'), import('@x402/core/http'), import('@x402/evm/exact/server')])

/** Of the simulated market, which is paid on Solana too. */
const solana = () =>
  Promise.all([import('@solana/kit'), import('@x402/svm/exact/server'), import('@x402/svm/exact/facilitator')])

/** By program; the others start quickly. */
const packages = {
  up: [zod, viem, payments, solana],
  serve: [zod, viem, payments],
  ingest: [zod, viem],
  process: [zod],
}

/** @param {string | undefined} program */
export async function loadPackages(program) {
  await Promise.all((packages[program] ?? []).map((load) => load()))
}
