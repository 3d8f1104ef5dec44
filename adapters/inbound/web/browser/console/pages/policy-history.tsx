import kitStyles from '../kit/kit.module.css'
import { useList } from '../api.ts'
import { Loaded, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import { usePolicyNames, useSentenceTexts } from '../policy-names.ts'
import { policySentence } from '../policy-sentence.ts'
import type { PolicyVersionRecord } from '../records.ts'
import { PolicyStatus } from './policies.tsx'
import { usePolicyTexts } from './policy-texts.ts'

/** Every version, each with what it changed. */
export const PolicyHistory = ({ id }: { readonly id: string }) => {
  const text = usePolicyTexts()
  const words = useSentenceTexts()
  const nameOf = usePolicyNames()
  const versions = useList<PolicyVersionRecord>(`/policies/${id}/history`, { limit: '200' })
  const differences = (after: PolicyVersionRecord, before: PolicyVersionRecord) =>
    [
      [text.name, before.name, after.name],
      [text.description, before.description ?? '', after.description ?? ''],
      [text.status, text.statuses[before.status], text.statuses[after.status]],
      [text.what, policySentence(before, nameOf, words), policySentence(after, nameOf, words)],
    ].filter(([, from, to]) => from !== to)
  return (
    <Section title={text.history}>
      <Loaded query={versions}>
        {({ items }) => (
          <>
            {items.map((version, index) => {
              const before = items[index + 1]
              return (
                <section key={version.version}>
                  <h3>
                    {text.version} {version.version} <PolicyStatus status={version.status} />
                  </h3>
                  <p className="hint">
                    <Time value={version.updatedAt} /> · {text.by} {version.changedByName || text.unknown}
                  </p>
                  {before === undefined ? (
                    <p>
                      {text.first}: {policySentence(version, nameOf, words)}
                    </p>
                  ) : (
                    <div className={kitStyles['tableFrame']}>
                      <table className={kitStyles['table']}>
                        <caption>{text.difference}</caption>
                        <thead>
                          <tr>
                            <th scope="col">{text.field}</th>
                            <th scope="col">{text.before}</th>
                            <th scope="col">{text.after}</th>
                          </tr>
                        </thead>
                        <tbody>
                          {differences(version, before).map(([field, from, to]) => (
                            <tr key={field}>
                              <th scope="row">{field}</th>
                              <td>{from}</td>
                              <td>{to}</td>
                            </tr>
                          ))}
                        </tbody>
                      </table>
                    </div>
                  )}
                </section>
              )
            })}
          </>
        )}
      </Loaded>
    </Section>
  )
}
