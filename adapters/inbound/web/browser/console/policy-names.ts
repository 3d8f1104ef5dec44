import { useList } from './api.ts'
import type { NameOf } from './policy-sentence.ts'
import { sentenceTexts, type SentenceTexts } from './policy-sentence-texts.ts'
import { useReader } from './text.tsx'

interface Named {
  readonly id: string
  readonly name: string
}

const LIMIT = { limit: '200' }

/** Returns names of groups, applications and network zones, or the id while a name is not known. */
export const usePolicyNames = (): NameOf => {
  const lists = [
    useList<Named>('/groups', LIMIT),
    useList<Named>('/applications', LIMIT),
    useList<Named>('/network-zones', LIMIT),
  ]
  const names = new Map(lists.flatMap(({ data }) => data?.items ?? []).map(({ id, name }) => [id, name]))
  return (id) => names.get(id) ?? id
}

/** The words of sentences about policies in the language of the reader. */
export const useSentenceTexts = (): SentenceTexts => sentenceTexts[useReader().language]
