// Loads the large packages of a program before the TypeScript loader is there. Each module that is loaded after it passes
// through the loader's thread, which takes five times as long. A package that is not named here is loaded when it is imported.

const payments = ['viem', '@x402/core/server', '@x402/core/http', '@x402/evm/exact/server']

/** By program; the others start quickly. */
const packages = {
  up: ['zod', ...payments],
  serve: ['zod', ...payments],
  ingest: ['zod', 'viem'],
  process: ['zod'],
}

/** @param {string | undefined} program */
export async function loadPackages(program) {
  await Promise.all((packages[program] ?? []).map((name) => import(name)))
}
