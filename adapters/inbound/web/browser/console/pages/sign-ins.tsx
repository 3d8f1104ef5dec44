import { PageHead } from '../kit/record.tsx'
import { signInTexts, SignInTable } from '../sign-in-table.tsx'
import { useTexts } from '../text.tsx'

export const SignInsPage = () => {
  const text = useTexts(signInTexts)
  return (
    <>
      <PageHead title={text.label} />
      <SignInTable path="/sign-ins" withUser />
    </>
  )
}
