/**
 * `npm test` draws the same cases in each run, so that a failure always comes from a change.
 * `PROPERTY_SEED=random` draws other cases, as `npm run test:all` does. Any other value is the seed that a failure printed.
 */
import fc from 'fast-check'

const { PROPERTY_SEED: wanted = '1' } = process.env
if (wanted !== 'random') fc.configureGlobal({ seed: Number(wanted) })
