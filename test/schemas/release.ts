/**
 * Freezes the current schemas: `npm run release-schemas`.
 * Run it when a change of a schema is final, and commit the new files with the change.
 * It refuses a schema that could not read the records of an existing log.
 */
import { currentSchemas, writeReleases } from './released-schemas.ts'

for (const path of writeReleases(currentSchemas)) console.log(path)
