/** Runs the end-to-end tests on the combinations of log and tables that the integration tests leave out. */
import { embeddedLogTablesOverHttp, kafkaLogEmbeddedTables, programsApart } from './grounds.ts'
import { describeReorgs } from './reorgs.ts'
import { describeSpine } from './spine.ts'

describeSpine('in one process, its tables behind HTTP', embeddedLogTablesOverHttp)
describeSpine('in one process, its log on Kafka', kafkaLogEmbeddedTables)
describeReorgs('on Kafka, every program a process', programsApart)
describeReorgs('in one process, its log on Kafka', kafkaLogEmbeddedTables)
