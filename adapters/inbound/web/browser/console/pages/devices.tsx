import { DeviceTable } from '../device-table.tsx'
import { PageHead } from '../kit/record.tsx'
import { pageTitles } from '../page-titles.ts'
import { useTexts } from '../text.tsx'

export const DevicesPage = () => {
  const { devices } = useTexts(pageTitles)
  return (
    <>
      <PageHead title={devices} />
      <DeviceTable path="/devices" withUser />
    </>
  )
}
