import { PageHead } from '../kit/record.tsx'
import { pageTitles } from '../page-titles.ts'
import { SessionTable } from '../session-table.tsx'
import { useTexts } from '../text.tsx'

export const SessionsPage = () => {
  const { sessions } = useTexts(pageTitles)
  return (
    <>
      <PageHead title={sessions} />
      <SessionTable path="/sessions" withUser />
    </>
  )
}
