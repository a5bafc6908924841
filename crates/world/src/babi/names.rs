//! Common given names by gender. Which names are common among men or women is a
//! fact that public registers of births agree on; names that are common for both
//! (Alex, Jordan, Robin, Taylor …) stand in neither list, so that no pronoun is
//! resolved by them.

/// Names of men and boys, in lower case.
pub(super) const MALE: &str = "
aaron abdul abraham adam adrian ahmed alan albert alberto alejandro alexander alfred ali allan
allen alvin amir andre andreas andrew andy anthony antoine anton antonio arnold arthur arun austin
barry bartholomew ben benjamin bernard bernhard bill billy bjorn bob bobby boris brad bradley
brandon brendan brent brian bruce bruno bryan calvin carl carlos cedric cesar chad charles chester
christian christopher clarence clifford clyde colin connor craig curtis cyril dan daniel
dave david dean dennis derek diego dmitri dominic don donald doug douglas duncan dustin dwight
earl eddie edgar edmund eduardo edward edwin elias elijah elliot emil emmanuel enrique eric erik
ernest ethan eugene evan felix ferdinand fernando floyd francisco frank franklin fred frederick
gabriel garrett gary gavin george gerald gerard gilbert giovanni glenn gordon graham greg gregory
guillermo gustav guy hans harold harry harvey hassan hector henrik henry herbert herman howard hugh
hugo ian ibrahim igor isaac ivan ivor jack jacob jake jakob james jared jason javier jay jeff
jeffrey jeremy jerome jerry jim jimmy joaquin joe joel johan johannes john johnny jonas jonathan
jorge jose joseph joshua juan julian julio julius justin karl keith ken kenneth kevin klaus kurt
kyle lance larry lars lawrence leo leon leonard leonardo leroy lewis liam lionel lloyd
lorenzo louis lucas luigi luis luke magnus malcolm manuel marc marcel marco marcus mario mark
markus martin marvin mathew matt matthew maurice max maxwell michael miguel mike mikhail milan
mitchell mohammed moses nathan nathaniel neil nicholas nick nicolas nigel noah norman oliver omar
oscar oskar otto owen pablo patrick paul pedro percy perry pete peter philip phillip pierre rafael
raj ralph ramon randall raoul raymond reginald ricardo richard rick robert roberto rodney rodrigo
roger roland roman ron ronald ross roy rudolf rupert russell ryan salvador samuel scott sean
sebastian sergei sergio seth simon stan stanley stefan stephen steve steven stewart stuart sumit
sven ted terence theodore thomas tim timothy tobias todd tom tomas tommy tony travis trevor
tristan tyler vernon victor vincent vladimir wallace walter warren wayne wesley wilfred wilhelm
will william winston xavier yann yusuf zachary
";

/// Names of women and girls, in lower case.
pub(super) const FEMALE: &str = "
abigail ada adele adriana agatha agnes aisha alexandra alice alicia alison allison alma amanda
amber amelia amy ana anastasia angela angelica angie anita ann anna anne annette annie
antonia april ariana astrid audrey barbara beatrice becky bella bernadette bertha bessie beth
bethany betsy betty beverly bianca bonnie brenda brianna bridget brigitte camilla candice carla
carol carolina caroline carolyn catherine cathy cecilia celeste celia charlotte chloe
christina christine claire clara claudia colleen connie constance cora cornelia crystal cynthia
daisy danielle daphne deborah debra delia denise diana diane dolores donna dora doris dorothy
edith eileen elaine eleanor elena elisabeth eliza elizabeth ella ellen elsa emily emma erica
erika esther ethel eva eve fatima fiona flora florence frances francesca freda frieda
gabriela gabrielle gail georgia geraldine gertrude gina gladys gloria grace greta gretchen gwen
hannah harriet hazel heather heidi helen helena helga henrietta hilda holly ida imogen ines ingrid
irene iris irma isabel isabella isabelle ivy jacqueline jane janet janice jasmine jeanne
jennifer jenny jessica jill joanna joanne josephine joyce juanita judith judy julia juliana
julie juliet june karen karin katarina kate katherine kathleen kathryn kathy katie katrina kirsten
kristen kristina laila lara laura lauren leah leila lena lily linda lisa lois lola lorraine louise
lucia lucille lucinda lucy luisa lydia mabel madeleine madeline maggie maja mandy margaret maria
marianne marie marilyn marina marjorie marlene martha mary mathilda matilda maud maureen
maya megan melanie melissa mercedes mia michelle mildred millie mina miranda miriam molly monica
muriel myra myrtle nadia nancy naomi natalie natasha nathalie nellie nicole nina nora norma olga
olive olivia ophelia pamela patricia paula pauline pearl peggy penelope penny petra phoebe phyllis
polly priscilla rachel ramona rebecca regina renata rita roberta rosa rosalie rosalind rose
rosemary rosie roxanne ruby ruth sabrina sadie sally samantha sandra sara sarah selma sharon
sheila shirley sibyl silvia sofia sonia sonja sophia sophie stella stephanie sue susan
susanna suzanne svetlana sylvia tabitha tamara tania tatiana teresa tess thelma theresa tiffany
tina trudy ursula valentina valerie vanessa vera veronica victoria viola violet virginia
wanda wendy wilhelmina winifred winona yolanda yvette yvonne zoe
";
