/**
 * `npm test` draws the same cases in each run, so that a failure always comes from a change of the code. With
 * `PROPERTY_SEED=random`, as in `npm run test:all`, each run draws other cases. To repeat a failed run, set
 * `PROPERTY_SEED` to the seed that the failure printed.
 */
import fc from 'fast-check'

const { PROPERTY_SEED: wanted = '1' } = process.env
// The same cases come in each run, so more of them would only cost time. Random draws are as many as fast-check sets.
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted), numRuns: 50 })
