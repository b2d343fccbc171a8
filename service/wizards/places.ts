import type { StructuredItem } from '@asof/core'
import { answerAbout, isNamedBy, termsOf } from './naming.ts'
import {
  findItems,
  given,
  isStructuredItem,
  itemTypesOf,
  listOf,
  valueText,
  valueTexts,
  valueUrl,
} from './structured-data.ts'
import type { Wizard, WizardAnswer, WizardCapture } from './wizard.ts'
import { numberOf } from './written-number.ts'

const intent = termsOf(
  'address phone telephone number opening open hours times directions location headquarters map near nearby where contact',
)
/** Place and its most common subtypes in schema.org. Other subtypes are recognized by opening hours or coordinates. */
const placeTypes = new Set(
  `Place LocalBusiness Accommodation AdministrativeArea AnimalShelter ArchiveOrganization CivicStructure Landform
  LandmarksOrHistoricalBuildings Residence SingleFamilyResidence TouristAttraction TouristDestination City Country State
  EventVenue AutomotiveBusiness AutoBodyShop AutoDealer AutoPartsStore AutoRental AutoRepair AutoWash GasStation
  MotorcycleDealer MotorcycleRepair ChildCare Dentist DryCleaningOrLaundry EmergencyService FireStation Hospital
  PoliceStation EmploymentAgency EntertainmentBusiness AmusementPark ArtGallery Casino ComedyClub MovieTheater NightClub
  FinancialService AccountingService AutomatedTeller BankOrCreditUnion InsuranceAgency FoodEstablishment Bakery BarOrPub
  Brewery CafeOrCoffeeShop Distillery FastFoodRestaurant IceCreamShop Restaurant Winery GovernmentOffice PostOffice
  HealthAndBeautyBusiness BeautySalon DaySpa HairSalon HealthClub NailSalon TattooParlor HomeAndConstructionBusiness
  Electrician GeneralContractor HVACBusiness HousePainter Locksmith MovingCompany Plumber RoofingContractor InternetCafe
  LegalService Attorney Notary Library LodgingBusiness BedAndBreakfast Campground Hostel Hotel Motel Resort SkiResort
  VacationRental MedicalBusiness MedicalClinic Optician Pharmacy Physician VeterinaryCare ProfessionalService RadioStation
  RealEstateAgent RecyclingCenter SelfStorage ShoppingCenter SportsActivityLocation BowlingAlley ExerciseGym GolfCourse
  PublicSwimmingPool SportsClub StadiumOrArena TennisComplex Store BikeStore BookStore ClothingStore ComputerStore
  ConvenienceStore DepartmentStore ElectronicsStore Florist FurnitureStore GardenStore GroceryStore HardwareStore HobbyShop
  HomeGoodsStore JewelryStore LiquorStore MensClothingStore MobilePhoneStore MovieRentalStore MusicStore
  OfficeEquipmentStore OutletStore PawnShop PetStore ShoeStore SportingGoodsStore TireShop ToyStore WholesaleStore
  TelevisionStation TouristInformationCenter TravelAgency Airport Aquarium Beach BusStation BusStop Cemetery Crematorium
  School Preschool ElementarySchool MiddleSchool HighSchool CollegeOrUniversity Museum MusicVenue Park ParkingFacility
  PerformingArtsTheater PlaceOfWorship Church Mosque Synagogue HinduTemple BuddhistTemple Playground SubwayStation
  TaxiStand TrainStation Zoo`.match(/\w+/g),
)
/** Words that ask for a location. Only with one of these words does an organization count as a place. */
const whereabouts = termsOf('address phone telephone directions location headquarters contact')
const dayNames = ['monday', 'tuesday', 'wednesday', 'thursday', 'friday', 'saturday', 'sunday']

function isPlace(item: StructuredItem): boolean {
  if (!itemTypesOf(item).some(type => placeTypes.has(type)) && !item.openingHours && !item.openingHoursSpecification) {
    return isStructuredItem(item.geo) && item.address !== undefined
  }
  return item.address !== undefined || item.geo !== undefined || item.telephone !== undefined
}

/** True for an organization with an address or telephone number. */
function isOrganization(item: StructuredItem): boolean {
  const isOne = itemTypesOf(item).some(type => /Organization$|^(?:Corporation|NGO|Airline)$/.test(type))
  return isOne && (item.address !== undefined || item.telephone !== undefined)
}

function addressOf(value: unknown): Record<string, unknown> {
  const [first] = listOf(value)
  if (!isStructuredItem(first)) return given({ address: valueText(first) })
  const street = valueText(first.streetAddress)
  const locality = valueText(first.addressLocality)
  const region = valueText(first.addressRegion)
  const postalCode = valueText(first.postalCode)
  const country = valueText(first.addressCountry)
  const line = [street, postalCode, locality, region, country].filter(part => part !== undefined).join(', ')
  return given({ address: line, street, locality, region, postal_code: postalCode, country })
}

function inRange(value: unknown, most: number): number | undefined {
  const number = numberOf(value)
  return number !== undefined && Math.abs(number) <= most ? number : undefined
}

/** Returns opening hours in the form `monday 09:00-17:00` or, if that is impossible, as written in the page. */
function hoursOf(item: StructuredItem): string[] {
  const specified = listOf(item.openingHoursSpecification)
    .filter(isStructuredItem)
    .flatMap(({ dayOfWeek, opens, closes }) => {
      const [from, to] = [opens, closes].map(time => /^(\d\d:\d\d)/.exec(valueText(time) ?? '')?.[1])
      const days = valueTexts(dayOfWeek).map(day => day.replace(/^.*[/#]/, '').toLowerCase())
      if (from === undefined || to === undefined) return []
      return days.filter(day => dayNames.includes(day)).map(day => `${day} ${from}-${to}`)
    })
  // Some pages list closed days too, without hours.
  const written = valueTexts(item.openingHours).map(hours => hours.replace(/^[\s,]+|[\s,]+$/g, ''))
  return (specified.length > 0 ? specified : written.filter(hours => /\d/.test(hours))).slice(0, 21)
}

function fieldsOf(item: StructuredItem, base: string): Record<string, unknown> | undefined {
  const name = valueText(item.name)
  if (name === undefined) return undefined
  const geo = listOf(item.geo).find(isStructuredItem)
  const rating = listOf(item.aggregateRating).find(isStructuredItem)
  return given({
    name,
    type: itemTypesOf(item)[0],
    ...addressOf(item.address),
    latitude: inRange(geo?.latitude ?? item.latitude, 90),
    longitude: inRange(geo?.longitude ?? item.longitude, 180),
    telephone: valueText(item.telephone),
    website: valueUrl(item.url, base),
    opening_hours: hoursOf(item),
    price_range: valueText(item.priceRange),
    cuisine: valueTexts(item.servesCuisine),
    rating: numberOf(rating?.ratingValue),
    best_rating: numberOf(rating?.bestRating),
    rating_count: numberOf(rating?.reviewCount) ?? numberOf(rating?.ratingCount),
  })
}

/** Returns the types of an item as words, such as `Bar Or Pub` for `BarOrPub`. */
function typeWords(item: StructuredItem): string {
  return itemTypesOf(item)
    .map(type => type.replace(/([a-z])([A-Z])/g, '$1 $2'))
    .join(' ')
}

/** Answers with places that the query names, or that it describes by type and town. */
export const places: Wizard = {
  name: 'places',
  answer: question =>
    answerAbout(question, intent, captures => captures.flatMap(capture => placesOn(capture, question.terms))),
}

function placesOn(capture: WizardCapture, terms: readonly string[]): WizardAnswer[] {
  const asked = terms.filter(term => !intent.has(term))
  const asksWhere = terms.some(term => whereabouts.has(term))
  const seen = new Set<string>()
  const isMeant = (item: StructuredItem) => isPlace(item) || (asksWhere && isOrganization(item))
  return findItems(capture.data, isMeant).flatMap((item): WizardAnswer[] => {
    const fields = fieldsOf(item, capture.url)
    if (!fields) return []
    const { name, address, locality } = fields as Record<string, string | undefined>
    // Some templates write an address whose parts are all empty.
    if (!isPlace(item) && !address && fields.telephone === undefined) return []
    const [kind, cuisine] = [typeWords(item), valueTexts(item.servesCuisine).join(' ')]
    const qualifiers = [address, locality, cuisine]
    // A type alone, such as "restaurant", asks for no specific place.
    const isAskedByKind = asked.length > 1 && isNamedBy(terms, intent, { names: [kind], qualifiers })
    if (!isAskedByKind && !isNamedBy(terms, intent, { names: [name], qualifiers: [kind, ...qualifiers] })) return []
    const key = JSON.stringify([name, address])
    if (seen.has(key)) return []
    seen.add(key)
    return [{ capture, fields }]
  })
}
