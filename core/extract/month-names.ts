/** Month names and abbreviations, January to December, separated by commas; diacritics folded, lower case. */
const byLanguage = [
  'january,february,march,april,may,june,july,august,september,october,november,december',
  'jan,feb,mar,apr,may,jun,jul,aug,sep,oct,nov,dec',
  'januar,februar,marz,april,mai,juni,juli,august,september,oktober,november,dezember',
  'janner,feber,maerz,apr,mai,jun,jul,aug,sept,okt,nov,dez',
  'janvier,fevrier,mars,avril,mai,juin,juillet,aout,septembre,octobre,novembre,decembre',
  'janv,fevr,mars,avr,mai,juin,juil,aout,sept,oct,nov,dec',
  'enero,febrero,marzo,abril,mayo,junio,julio,agosto,septiembre,octubre,noviembre,diciembre',
  'ene,feb,mar,abr,may,jun,jul,ago,set,oct,nov,dic',
  'gennaio,febbraio,marzo,aprile,maggio,giugno,luglio,agosto,settembre,ottobre,novembre,dicembre',
  'gen,feb,mar,apr,mag,giu,lug,ago,set,ott,nov,dic',
  'janeiro,fevereiro,marco,abril,maio,junho,julho,agosto,setembro,outubro,novembro,dezembro',
  'jan,fev,mar,abr,mai,jun,jul,ago,set,out,nov,dez',
  'januari,februari,maart,april,mei,juni,juli,augustus,september,oktober,november,december',
  'januari,februari,mars,april,maj,juni,juli,augusti,september,oktober,november,december',
  'januar,februar,marts,april,maj,juni,juli,august,september,oktober,november,desember',
  'tammikuu,helmikuu,maaliskuu,huhtikuu,toukokuu,kesakuu,heinakuu,elokuu,syyskuu,lokakuu,marraskuu,joulukuu',
  'tammikuuta,helmikuuta,maaliskuuta,huhtikuuta,toukokuuta,kesakuuta,heinakuuta,elokuuta,syyskuuta,lokakuuta,marraskuuta,joulukuuta',
  'stycznia,lutego,marca,kwietnia,maja,czerwca,lipca,sierpnia,wrzesnia,pazdziernika,listopada,grudnia',
  'styczen,luty,marzec,kwiecien,maj,czerwiec,lipiec,sierpien,wrzesien,pazdziernik,listopad,grudzien',
  'ledna,unora,brezna,dubna,kvetna,cervna,cervence,srpna,zari,rijna,listopadu,prosince',
  'leden,unor,brezen,duben,kveten,cerven,cervenec,srpen,zari,rijen,listopad,prosinec',
  'januara,februara,marca,aprila,maja,juna,jula,augusta,septembra,oktobra,novembra,decembra',
  'sijecnja,veljace,ozujka,travnja,svibnja,lipnja,srpnja,kolovoza,rujna,listopada,studenoga,prosinca',
  'januarja,februarja,marca,aprila,maja,junija,julija,avgusta,septembra,oktobra,novembra,decembra',
  'января,февраля,марта,апреля,мая,июня,июля,августа,сентября,октября,ноября,декабря',
  'январь,февраль,март,апрель,май,июнь,июль,август,сентябрь,октябрь,ноябрь,декабрь',
  'янв,фев,мар,апр,май,июн,июл,авг,сен,окт,ноя,дек',
  'січня,лютого,березня,квітня,травня,червня,липня,серпня,вересня,жовтня,листопада,грудня',
  'януари,февруари,март,април,май,юни,юли,август,септември,октомври,ноември,декември',
  'јануар,фебруар,март,април,мај,јун,јул,август,септембар,октобар,новембар,децембар',
  'ocak,subat,mart,nisan,mayıs,haziran,temmuz,agustos,eylul,ekim,kasım,aralık',
  'januar,februar,marcius,aprilis,majus,junius,julius,augusztus,szeptember,oktober,november,december',
  'ianuarie,februarie,martie,aprilie,mai,iunie,iulie,august,septembrie,octombrie,noiembrie,decembrie',
  'ιανουαριου,φεβρουαριου,μαρτιου,απριλιου,μαιου,ιουνιου,ιουλιου,αυγουστου,σεπτεμβριου,οκτωβριου,νοεμβριου,δεκεμβριου',
  'januari,februari,maret,april,mei,juni,juli,agustus,september,oktober,november,desember',
  'gener,febrer,marc,abril,maig,juny,juliol,agost,setembre,octubre,novembre,desembre',
  'sausio,vasario,kovo,balandzio,geguzes,birzelio,liepos,rugpjucio,rugsejo,spalio,lapkricio,gruodzio',
  'jaanuar,veebruar,marts,aprill,mai,juuni,juuli,august,september,oktoober,november,detsember',
  'janvaris,februaris,marts,aprilis,maijs,junijs,julijs,augusts,septembris,oktobris,novembris,decembris',
  'يناير,فبراير,مارس,ابريل,مايو,يونيو,يوليو,اغسطس,سبتمبر,اكتوبر,نوفمبر,ديسمبر',
  'जनवरी,फरवरी,मार्च,अप्रैल,मई,जून,जुलाई,अगस्त,सितंबर,अक्टूबर,नवंबर,दिसंबर',
]

const months = new Map<string, number>()
for (const names of byLanguage) {
  for (const [index, name] of names.split(',').entries()) {
    if (!months.has(fold(name))) months.set(fold(name), index + 1)
  }
}

/** The month, 1 to 12, that a word names in any of some forty languages; `undefined` for other words. */
export function monthOf(word: string): number | undefined {
  return months.get(fold(word))
}

function fold(word: string): string {
  return word
    .normalize('NFD')
    .replace(/\p{M}+/gu, '')
    .toLowerCase()
}
