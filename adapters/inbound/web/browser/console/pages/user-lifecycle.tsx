/** What lifecycle rules did for a user, and what they will do on the user's dates. */
import { useRecord } from '../api.ts'
import { PageLink } from '../kit/link.tsx'
import { Loaded, Section } from '../kit/record.tsx'
import { Time } from '../kit/time.tsx'
import type { LifecycleScheduleRecord } from '../records.ts'
import { useTexts } from '../text.tsx'
import { LifecycleRunTable } from './lifecycle-runs.tsx'
import { triggerNames, useLifecycleTexts } from './lifecycle-texts.ts'

export const UserLifecycle = ({ userId }: { readonly userId: string }) => {
  const text = useLifecycleTexts()
  const triggers = useTexts(triggerNames)
  const scheduled = useRecord<LifecycleScheduleRecord>(`/users/${userId}/lifecycle`)
  return (
    <>
      <Section title={text.scheduled} hint={text.about}>
        <Loaded query={scheduled}>
          {(all) =>
            all.length === 0 ? (
              <p>{text.nothingScheduled}</p>
            ) : (
              <ul>
                {all.map(({ ruleId, ruleName, trigger, at }) => (
                  <li key={ruleId}>
                    <Time value={at} />: <PageLink to={`/console/lifecycle/${ruleId}`}>{ruleName}</PageLink> (
                    {triggers[trigger]})
                  </li>
                ))}
              </ul>
            )
          }
        </Loaded>
      </Section>
      <LifecycleRunTable fixed={{ userId }} of="user" />
    </>
  )
}
